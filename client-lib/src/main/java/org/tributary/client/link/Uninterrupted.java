package org.tributary.client.link;

import java.util.concurrent.locks.LockSupport;
import org.tributary.wire.Deadline;

/**
 * Waits, above all of a rank that leaves its job, which an interrupt does not end: the interrupt status stays set. Only
 * time counts in which this process runs, as in {@link Deadline}.
 */
final class Uninterrupted {
    /** A wait that an interrupt ends. */
    interface Wait {
        /** For so long at most; returns whether what was waited for has come. */
        boolean await(long leftNs) throws InterruptedException;
    }

    private Uninterrupted() {
    }

    /** Parks; a thread that has been interrupted before sleeps all the same. */
    static void park(long ns) {
        boolean isInterrupted = Thread.interrupted();
        LockSupport.parkNanos(ns);
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits on when interrupted; returns whether what was waited for has come within the time. */
    static boolean await(long timeoutNs, Wait wait) {
        return await(Deadline.in(timeoutNs), wait);
    }

    /** The same until then. */
    static boolean await(Deadline deadline, Wait wait) {
        boolean isInterrupted = Thread.interrupted();
        try {
            while (true) {
                long leftNs = deadline.leftNs();
                try {
                    boolean hasCome = wait.await(Math.clamp(leftNs, 0, Deadline.LOOK_NS));
                    if (hasCome || leftNs <= 0) {
                        return hasCome;
                    }
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
