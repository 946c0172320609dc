package org.tributary.client.remote;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.Contended;
import org.tributary.client.connection.PendingReply;
import org.tributary.client.error.GasException;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.wire.shm.WaitSlots;

/**
 * Locks for which a rank still stands in a queue, though the call that asked has been interrupted. Each has a thread
 * that waits for the grant and gives it back: the program may make no call that would read the answer, and the next
 * rank in the queue waits for it. When the rank leaves or the job fails, these threads end as all that wait; the server
 * gives what the rank then has to the next. A thread that cannot be started is started when the rank next asks a
 * server for a lock. Thread-safe.
 */
final class LateGrants {
    /** By lock, how many are to come. */
    private final Map<Contended, Integer> due = new HashMap<>();
    /** Those for which no thread could be started yet. */
    private final Queue<Untaken> untaken = new ArrayDeque<>();
    private final Executor threads;

    private record Untaken(Contended what, Runnable taking) {
    }

    LateGrants() {
        this(taking -> Thread.ofPlatform().daemon().name("tributary-late-grant").start(taking));
    }

    /** {@code threads} gives each task a thread of its own, or throws what {@link Thread#start} does. */
    LateGrants(Executor threads) {
        this.threads = threads;
    }

    /**
     * A call that asked for a lock has ended without it.
     *
     * @param isGranted waits for the answer
     * @param giveBack  sends the release
     */
    void expect(Contended what, BooleanSupplier isGranted, Runnable giveBack) {
        synchronized (this) {
            due.merge(what, 1, Integer::sum);
            untaken.add(new Untaken(what, () -> take(what, isGranted, giveBack)));
        }
        tryBegin();
    }

    /** Starts the threads that are missing. */
    private synchronized void begin() {
        while (!untaken.isEmpty()) {
            threads.execute(untaken.element().taking());
            untaken.remove();
        }
    }

    private void tryBegin() {
        try {
            begin();
        } catch (OutOfMemoryError ignored) {
            // So it is thrown when no thread can be started. The rank's next call for a lock tries again.
        }
    }

    /** As the answer, but no interrupt ends the wait for it. */
    static Awaited patiently(PendingReply answer) {
        return new Awaited() {
            @Override
            public boolean isDone() {
                return answer.isDone();
            }

            @Override
            public int block(WaitSlots waits, int node) {
                return answer.block(waits, node);
            }
        };
    }

    private void take(Contended what, BooleanSupplier isGranted, Runnable giveBack) {
        try {
            if (isGranted.getAsBoolean()) {
                giveBack.run();
            }
        } catch (GasException ignored) {
            // The job has failed, the rank leaves, or the lock was refused: there is nothing to give back.
        } finally {
            ended(what);
        }
    }

    private synchronized void ended(Contended what) {
        due.computeIfPresent(what, (key, count) -> count == 1 ? null : count - 1);
        notifyAll();
    }

    /** Whether a grant of a lock is to be given back. */
    synchronized boolean isDue(Contended what) {
        tryBegin();
        return due.containsKey(what);
    }

    /**
     * Waits until all grants of a lock that were due have been given back: for its server, the rank asks until then.
     *
     * @throws WaitInterruptedException when the calling thread is interrupted
     * @throws GasException             when there can be no thread that gives them back
     */
    synchronized void await(Contended what) {
        tryBegin();
        if (untaken.stream().anyMatch(each -> each.what().equals(what))) {
            throw new GasException("no thread can be started that gives back a lock whose wait was interrupted");
        }
        try {
            while (due.containsKey(what)) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw what.interrupted();
        }
    }
}
