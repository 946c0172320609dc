package org.tributary.client.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of {@link Links}. A thread that finds it taken spins for as long as the {@link DeferredSender} keeps it for
 * a piece, because sleeping and being woken takes several times as long, and is seen by that thread, which then stands
 * back.
 */
final class SharedLock extends ReentrantLock {
    private static final long serialVersionUID = 1;
    private static final long SPIN_NS = 30_000;

    private final AtomicInteger waiting = new AtomicInteger();

    @Override
    public void lock() {
        if (tryLock()) {
            return;
        }
        waiting.incrementAndGet();
        try {
            long untilNs = System.nanoTime() + SPIN_NS;
            while (System.nanoTime() < untilNs) {
                if (tryLock()) {
                    return;
                }
                Thread.onSpinWait();
            }
            super.lock();
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** Takes the lock within the time; an interrupt does not end the wait. */
    boolean tryLockFor(long timeoutNs) {
        return Uninterrupted.await(timeoutNs, leftNs -> tryLock(leftNs, TimeUnit.NANOSECONDS));
    }

    /** Takes the lock unless somebody has it or wants it. */
    boolean tryLockIfUnwanted() {
        return waiting.get() == 0 && !hasQueuedThreads() && tryLock();
    }
}
