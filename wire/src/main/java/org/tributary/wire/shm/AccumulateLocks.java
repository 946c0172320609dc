package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.util.function.IntPredicate;

/**
 * The node's table of short locks under which accumulates run, each over a stripe of {@link #STRIPE_BYTES} of a
 * segment file: a vectorized loop under one lock is several times faster than a compare-and-swap for each element, and
 * every accumulate of the node, whoever issued it, takes the same lock.
 *
 * <pre>
 *   LOCKS entries of one cache line each:   0                  4
 *                                           +------------------+---
 *                                           | holder, 0 = free | unused
 *                                           | int32            |
 *                                           +------------------+---
 * </pre>
 *
 * <p>A holder keeps one lock for the time of one stripe; whoever needs two neighbouring ones takes the lower-numbered
 * first, so nobody can deadlock. A holder that died is recognized by its process being gone or a zombie, and its lock
 * is taken over: what it half did is lost with it, as the job ends anyway. Thread-safe; the holder token tells
 * processes apart, threads of one process wait for each other the same way because acquisition is by compare-and-swap
 * from free.
 */
public final class AccumulateLocks {
    /** Number of locks. */
    public static final int LOCKS = 1024;
    /** Bytes of a segment file under one lock. */
    public static final int STRIPE_BYTES = 1 << 14;
    /** Bytes of the table. */
    public static final long BYTES = LOCKS * 64L;
    private static final int SPINS_BEFORE_YIELD = 200;
    private static final int YIELDS_BEFORE_LIVENESS_CHECK = 2000;

    private final MemorySegment memory;
    private final int holder;
    private final IntPredicate isAlive;

    /**
     * The table as one process uses it.
     *
     * @param holder  token of this process, not 0
     * @param isAlive whether the process behind a token lives
     */
    public AccumulateLocks(MemorySegment memory, int holder, IntPredicate isAlive) {
        this.memory = memory;
        this.holder = holder;
        this.isAlive = isAlive;
    }

    /** The lock of a byte of a segment file. */
    public static int lockOf(long segmentId, long fileOffset) {
        long mixed = (segmentId * 0x9E3779B97F4A7C15L >>> 20) + fileOffset / STRIPE_BYTES;
        return (int) (mixed & (LOCKS - 1));
    }

    /** Acquires; returns within microseconds unless the holder is descheduled. */
    public void acquire(int lock) {
        long at = lock * 64L;
        if (!SharedWord.compareAndSet(memory, at, 0, holder)) {
            acquireContended(at);
        }
    }

    private void acquireContended(long at) {
        int attempts = 0;
        while (true) {
            int current = SharedWord.getVolatile(memory, at);
            if (current == 0 && SharedWord.compareAndSet(memory, at, 0, holder)) {
                return;
            }
            attempts++;
            if (attempts < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else if (attempts < YIELDS_BEFORE_LIVENESS_CHECK) {
                Thread.yield();
            } else {
                attempts = SPINS_BEFORE_YIELD;
                if (current != 0 && !isAlive.test(current)
                    && SharedWord.compareAndSet(memory, at, current, holder)) {
                    return;
                }
            }
        }
    }

    /** Releases; the next holder's acquire is the partner of this release store. */
    public void release(int lock) {
        SharedWord.setRelease(memory, lock * 64L, 0);
    }
}
