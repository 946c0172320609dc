package org.tributary.client.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.FailurePolicy;
import org.tributary.wire.shm.MappedFiles;

/**
 * Whether the job has failed, and what that means for this rank: the process ends at once, as users of batch systems
 * expect, or every wait throws, for programs and tests that embed ranks. Thread-safe.
 */
public final class JobFailure {
    /** Exit code of a rank that ends because the job failed elsewhere. */
    public static final int EXIT_CODE = 75;

    /**
     * Most connections to another server break because somebody has died, of whom this rank's own server is about to
     * tell. That server, or the one that lost the connection, may itself wait for a second before it tells.
     */
    private static final long REASON_NS = TimeUnit.SECONDS.toNanos(2);
    /** How long the end of the job takes to come back after this rank has told its own server. */
    private static final long ECHO_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Longer than a process takes to say why it ends, or to do what its end waits for. */
    private static final long ENDING_NS = TimeUnit.SECONDS.toNanos(12);

    private final AtomicReference<String> reason = new AtomicReference<>();
    private final MappedFiles mapped = new MappedFiles();
    private final Calls calls;
    private final FailurePolicy policy;
    private final int rank;
    private final boolean silent;
    private final AtomicInteger holds = new AtomicInteger();
    private volatile boolean leaving;
    private volatile Runnable beforeExit = () -> { };
    private volatile Runnable wakeUp = () -> { };
    private volatile Consumer<String> ownServer = why -> { };

    /**
     * No failure yet.
     *
     * @param silent whether somebody else, the launcher, tells the user
     */
    public JobFailure(FailurePolicy policy, int rank, boolean silent) {
        this.policy = policy;
        this.rank = rank;
        this.calls = new Calls(rank);
        this.silent = silent;
    }

    /** The files that this rank has mapped: when one of them is truncated, that is why anything fails. */
    public MappedFiles mapped() {
        return mapped;
    }

    /** Words for a failure, with a truncated file as its cause if there is one: such a file explains any other. */
    private String withCause(String what) {
        String problem = mapped.problem();
        return problem == null || what.contains(problem) ? what : problem + " (" + what + ")";
    }

    /** Ends the job when a file that this rank has mapped was truncated; waiting threads call this now and then. */
    public void checkMemory() {
        String problem = mapped.problem();
        if (problem != null && !hasFailed()) {
            end("rank " + rank + " cannot go on: " + problem);
        }
    }

    /** Ends the job: the rank's memory is damaged or gone. Returns what to throw. */
    public JobAbortedException memoryFault(Throwable cause) {
        String what = withCause("rank " + rank + " cannot go on: " + cause.getMessage());
        if (!hasFailed()) {
            end(what);
        }
        awaitEnd();
        return new JobAbortedException(what, cause);
    }

    /** Sets the action that wakes this rank's threads that wait in the kernel. */
    public void onFailure(Runnable action) {
        wakeUp = action;
    }

    /** Sets the action to run when the job has failed and this process is about to end with it. */
    public void beforeExit(Runnable action) {
        beforeExit = action;
    }

    /** Whether this process ends when the job fails. */
    boolean endsProcess() {
        return policy == FailurePolicy.EXIT;
    }

    /** Does something before this process may end with the job; its end waits for up to 12 s. */
    void holdEnd(Runnable action) {
        holds.incrementAndGet();
        try {
            action.run();
        } finally {
            holds.decrementAndGet();
        }
    }

    /** Sets the way to tell the rank's own server of a failure that this rank has noticed. */
    void tellThrough(Consumer<String> server) {
        ownServer = server;
    }

    /**
     * This rank has noticed that another part of the job is gone. If no process gives the reason within two seconds,
     * this rank tells its own server, which tells all others; otherwise the end of this rank would pass for the reason.
     * Returns when the job has failed, or the rank leaves it.
     */
    void noticed(String what) {
        if (mapped.problem() != null || !hasFailedWithin(REASON_NS) && !leaving) {
            reportCertain(what);
        }
    }

    /** The same when no other process can know more. */
    void reportCertain(String what) {
        ownServer.accept(withCause(what));
        if (!hasFailedWithin(ECHO_NS) && !leaving) {
            fail(what);
        }
    }

    /** This rank has found that the job cannot go on: everybody is told why. Returns when the job has failed. */
    public void end(String why) {
        ownServer.accept(why);
        if (!hasFailedWithin(ECHO_NS)) {
            fail(why);
        }
    }

    /**
     * The failure that this rank has met may be the end of the job, of which it is about to hear.
     *
     * @throws JobAbortedException with the reason, when that comes in a moment
     */
    public void awaitReason() {
        if (hasFailedWithin(REASON_NS)) {
            check();
        }
    }

    /** The rank is about to leave the job: nobody waits to hear why it may have failed, or tells. */
    void beginLeaving() {
        leaving = true;
    }

    private boolean hasFailedWithin(long timeoutNs) {
        long untilNs = System.nanoTime() + timeoutNs;
        while (!hasFailed() && !leaving && System.nanoTime() - untilNs < 0) {
            Uninterrupted.park(LOOK_NS);
        }
        boolean failed = hasFailed();
        if (failed) {
            awaitEnd();
        }
        return failed;
    }

    /** The job has failed; the first reason stays. */
    public void fail(String why) {
        if (!reason.compareAndSet(null, withCause(why))) {
            awaitEnd();
            return;
        }
        if (endsProcess()) {
            if (!silent) {
                System.err.println("tributary: rank " + rank + " ends: " + reason.get());
            }
            beforeExit.run();
            long untilNs = System.nanoTime() + ENDING_NS;
            while (holds.get() > 0 && System.nanoTime() - untilNs < 0) {
                Uninterrupted.park(LOOK_NS);
            }
            Runtime.getRuntime().halt(EXIT_CODE);
        }
        wakeUp.run();
    }

    /** The same without allocating anything, for a thread that has perhaps run out of memory. */
    void failAtOnce(String why) {
        boolean isFirst = reason.compareAndSet(null, why);
        if (endsProcess()) {
            try {
                if (isFirst && !silent) {
                    System.err.println(why);
                }
            } finally {
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        }
        wakeUp.run();
    }

    public Calls calls() {
        return calls;
    }

    /** Wakes the threads of this rank that wait in the kernel. */
    public void wakeWaiting() {
        wakeUp.run();
    }

    public boolean hasFailed() {
        return reason.get() != null;
    }

    /** Throws when the job has failed, or this rank leaves it. */
    public void check() {
        checkJob();
        calls.check();
    }

    /**
     * Throws when the job has failed, but not when the rank leaves: for a call in the middle of work that it must
     * complete.
     */
    void checkJob() {
        String why = reason.get();
        if (why != null) {
            awaitEnd();
            throw new JobAbortedException(why);
        }
    }

    /** Another thread ends this process: an exception of this one would tell the user the same a second time. */
    private void awaitEnd() {
        if (policy == FailurePolicy.EXIT) {
            long untilNs = System.nanoTime() + 2 * ENDING_NS;
            while (System.nanoTime() - untilNs < 0) {
                Uninterrupted.park(ENDING_NS);
            }
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
