package org.tributary.client.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.tributary.client.error.JobAbortedException;
import org.tributary.wire.Deadline;

/**
 * Threads that wait, or use what a rank shares, while another one has the rank leave its job: their calls end with an
 * exception, and nothing is taken from under them before that. Thread-safe.
 */
public final class Calls {
    /**
     * How long a rank that leaves waits for its other threads. One that waits in a call hears of it within
     * microseconds; but a machine may be busy, and a call that explains a broken connection takes up to 4 s.
     */
    public static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long LOOK_NS = 200_000;

    private final int rank;
    private final AtomicInteger inside = new AtomicInteger();
    private volatile Thread leaving;
    private volatile boolean left;
    private volatile boolean processEnds;
    private volatile Runnable letGo = () -> { };

    Calls(int rank) {
        this.rank = rank;
    }

    /**
     * Sets the action after which a call does not touch memory of its caller, which may be gone once the call has
     * ended. It runs before a call ends with an exception because the rank leaves.
     */
    void beforeEnding(Runnable action) {
        letGo = action;
    }

    /**
     * A call begins that {@link #end} follows.
     *
     * @throws JobAbortedException when the rank leaves
     */
    public void begin() {
        // The order of all volatile accesses: the thread that leaves sees the call, or the call sees that it leaves.
        inside.incrementAndGet();
        if (leaving != null) {
            try {
                check();
            } catch (JobAbortedException e) {
                end();
                throw e;
            }
        }
    }

    /**
     * As {@link #begin}, for the rest of a call that must not end before its operation, though the rank leaves.
     *
     * @throws JobAbortedException when the rank has left
     */
    void goOn() {
        inside.incrementAndGet();
        if (left) {
            end();
            throw whyLeft();
        }
    }

    public void end() {
        inside.decrementAndGet();
    }

    /**
     * Ends the call of the calling thread if the rank leaves.
     *
     * @throws JobAbortedException when the rank leaves, unless by the calling thread, or has left
     */
    public void check() {
        Thread who = leaving;
        if (who == null) {
            return;
        }
        checkNotLeft();
        if (who != Thread.currentThread()) {
            letGo.run();
            throw whyLeaving();
        }
    }

    /** Throws when the rank has left, but not while it leaves: for a call that must not end before its operation. */
    void checkNotLeft() {
        if (left) {
            throw whyLeft();
        }
    }

    /** The rank leaves, or is about to, not because a program says so but because its process ends. */
    void endWithProcess() {
        processEnds = true;
    }

    /** Whether connections that end do so because the rank leaves, by whatever thread. */
    boolean isOver() {
        return leaving != null || processEnds;
    }

    /** Why a call that is in progress fails. */
    JobAbortedException whyLeaving() {
        return new JobAbortedException("rank " + rank + " leaves the job: "
            + (processEnds ? "its process ends" : "another thread has called Gas.close"));
    }

    /** Why a call that follows fails. */
    JobAbortedException whyLeft() {
        return new JobAbortedException("rank " + rank + " has left the job: "
            + (processEnds ? "its process ends" : "Gas.close has been called"));
    }

    /** Whether somebody has the rank leave. */
    public boolean isLeaving() {
        return leaving != null;
    }

    /**
     * The calling thread has the rank leave: calls end, and no other begins.
     *
     * @param timeoutNs how long to wait for them
     * @param wakeUp    wakes those that sleep
     * @return how many have not ended within the time
     */
    public int stop(long timeoutNs, Runnable wakeUp) {
        leaving = Thread.currentThread();
        Deadline deadline = Deadline.in(timeoutNs);
        int stillInside = inside.get(); // asked once a round: refused threads are inside for a moment, too
        while (stillInside > 0 && !deadline.isOver()) {
            // Again and again: a thread may have looked just before it fell asleep.
            wakeUp.run();
            Uninterrupted.park(LOOK_NS);
            stillInside = inside.get();
        }
        return stillInside;
    }

    /** The rank has left: the thread that had it leave makes no calls either. */
    public void refuseAll() {
        left = true;
    }
}
