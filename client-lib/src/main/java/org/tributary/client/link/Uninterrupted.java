package org.tributary.client.link;

import java.util.concurrent.locks.LockSupport;

/** Waits, above all of a rank that leaves its job, which an interrupt does not end: the interrupt status stays set. */
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
        long sinceNs = System.nanoTime();
        boolean isInterrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return wait.await(Math.max(0, timeoutNs - (System.nanoTime() - sinceNs)));
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
