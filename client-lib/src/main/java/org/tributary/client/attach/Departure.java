package org.tributary.client.attach;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.tributary.client.error.GasException;
import org.tributary.client.link.Calls;
import org.tributary.client.link.JobFailure;
import org.tributary.client.link.Lifeline;
import org.tributary.client.link.Links;
import org.tributary.client.node.LocalNode;
import org.tributary.config.JobEnvironment;

/** How a rank leaves its job, whatever its other threads are in the middle of. Thread-safe. */
public final class Departure {
    private final Set<Runnable> lastActs = ConcurrentHashMap.newKeySet();
    private final JobEnvironment job;
    private final JobFailure failure;
    private final Links links;
    private final LocalNode node;
    private final Lifeline lifeline;
    private boolean over;
    private boolean hasSaidGoodbye;

    public Departure(JobEnvironment job, Attachment attachment) {
        this.job = job;
        this.failure = attachment.failure();
        this.links = attachment.links();
        this.node = attachment.node();
        this.lifeline = attachment.lifeline();
    }

    /**
     * Ends what other threads do.
     *
     * @param refuse has memory refuse operations
     * @return null, or which of it has not ended
     */
    public String stopCalls(Runnable refuse) {
        String late = " of other threads have not ended within "
            + TimeUnit.NANOSECONDS.toSeconds(Calls.PATIENCE_NS) + " s";
        int inside = failure.calls().stop(Calls.PATIENCE_NS, () -> {
            failure.wakeWaiting();
            links.farewell().lookAtLock();
        });
        refuse.run();
        if (inside > 0) {
            links.farewell().haveAwaitedCalls();
            return inside + " calls" + late;
        }
        if (!links.farewell().letGoInTime()) {
            return "requests" + late;
        }
        return node.awaitAccumulates(Calls.PATIENCE_NS) ? null : "accumulates" + late;
    }

    /**
     * Has something done before the goodbye, for other ranks, unless the job has failed.
     *
     * @return has it done no more
     */
    public Runnable beforeGoodbye(Runnable act) {
        lastActs.add(act);
        return () -> lastActs.remove(act);
    }

    /** Whatever goes wrong, the others hear the goodbye: what is broken ends the job without this rank. */
    private void act() {
        if (!lastActs.isEmpty() && !failure.hasFailed()) {
            links.farewell().withLock(() -> lastActs.forEach(Departure::attempt));
        }
    }

    private static void attempt(Runnable act) {
        try {
            act.run();
        } catch (RuntimeException | InternalError ignored) {
            // Of a broken connection, or of memory that cannot be had.
        }
    }

    /**
     * Says goodbye; mappings stay, for at the end of the process other threads may still be using them.
     *
     * @return whether no thread uses connections any more, or what it sends from
     */
    public synchronized boolean leave() {
        if (over) {
            return true;
        }
        over = true;
        failure.checkMemory();
        try {
            act();
            lifeline.expectEnd();
            return links.farewell().leave(this::announce,
                () -> node.hasDeparted() || failure.hasFailed() || lifeline.hasEnded());
        } finally {
            lifeline.close();
            failure.calls().refuseAll();
            if (node.trace() != null) {
                node.trace().finish(!failure.hasFailed());
            }
        }
    }

    private void announce() {
        lifeline.announceGoodbye();
        node.waits().left();
        hasSaidGoodbye = true;
    }

    /** Whether this rank has left in good order, after all others of its node or perhaps so. */
    public synchronized boolean isLast() {
        return hasSaidGoodbye && node.isLastToLeave();
    }

    /** The exception when threads have not come out of calls, for which {@code stuck} has words; null for requests. */
    public GasException stillInUse(String stuck) {
        return new GasException("rank " + job.rank() + " has left job " + job.jobId() + ", but "
            + (stuck == null ? "a request of another thread is still being sent" : stuck)
            + ": what may be in use stays mapped");
    }

    public synchronized boolean isOver() {
        return over;
    }
}
