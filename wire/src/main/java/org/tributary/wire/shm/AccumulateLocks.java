package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/**
 * The node's table of short locks under which accumulates run, each over a stripe of {@link #STRIPE_BYTES} of a segment
 * file: a vectorized loop under one lock is several times faster than a compare-and-swap for each element, and every
 * accumulate of the node, of ranks and of the server, takes the same lock.
 *
 * <pre>
 *   LOCKS entries of one cache line each:   0                  4
 *                                           +------------------+---
 *                                           | holder, 0 = free | unused
 *                                           | int32            |
 *                                           +------------------+---
 * </pre>
 *
 * <p>A holder keeps one lock for the time of one stripe; a process that needs two neighbouring ones takes the
 * lower-numbered first, so no deadlock is possible. The lock of a holder that died ({@link Presence}) is taken over:
 * its half-done accumulate is lost with it, as the job ends anyway. One that was stopped keeps its lock until it goes
 * on: ranks wait for it, and a server, each of whose threads serves many connections, only tries. Thread-safe; the
 * holder token tells processes apart, threads of one process wait for each other the same way because acquisition is by
 * compare-and-swap from free.
 */
public final class AccumulateLocks {
    public static final int LOCKS = 1024;
    /** Bytes of a segment file under one lock. */
    public static final int STRIPE_BYTES = 1 << 14;
    /** Bytes of the table. */
    public static final long BYTES = LOCKS * 64L;
    /** How a segment and a stripe become the number of a lock. */
    private static final long SEGMENT_FACTOR = 0x9E3779B97F4A7C15L;
    private static final int SEGMENT_SHIFT = 20;
    private static final int SPINS_BEFORE_YIELD = 200;
    private static final int YIELDS_BEFORE_LIVENESS_CHECK = 2000;
    private static final long FIRST_PAUSE_NS = 50_000;
    private static final long LONGEST_PAUSE_NS = 2_000_000;

    private final String where;
    private final MemorySegment memory;
    private final int holder;
    private final IntPredicate isAlive;
    private final Runnable check;
    private final WaitSlots waits;

    /**
     * The table as one process uses it.
     *
     * @param where   name of the table, for messages
     * @param holder  token of this process, not 0
     * @param isAlive whether the process behind a token, which may be any number, lives
     * @param check   called now and then while a thread waits; what it throws ends the wait
     */
    public AccumulateLocks(String where, MemorySegment memory, int holder, IntPredicate isAlive, Runnable check) {
        this(where, memory, holder, isAlive, check, WaitSlots.unshared());
    }

    /** As above; a thread that blocks tells {@code waits}. */
    AccumulateLocks(String where, MemorySegment memory, int holder, IntPredicate isAlive, Runnable check,
        WaitSlots waits) {
        this.where = where;
        this.memory = memory;
        this.holder = holder;
        this.isAlive = isAlive;
        this.check = check;
        this.waits = waits;
    }

    /** The lock of a byte of a segment file. */
    public static int lockOf(long segmentId, long fileOffset) {
        long mixed = (segmentId * SEGMENT_FACTOR >>> SEGMENT_SHIFT) + fileOffset / STRIPE_BYTES;
        return (int) (mixed & (LOCKS - 1));
    }

    /** Whether a token is that of a rank of a node of so many; the rank's index on the node + 1. */
    public static boolean isRank(int token, int ranks) {
        return token >= 1 && token <= ranks;
    }

    private static long at(int lock) {
        return lock * 64L;
    }

    /** Token of the process that holds a lock now, 0 when it is free. */
    public int holder(int lock) {
        return SharedWord.getVolatile(memory, at(lock));
    }

    /** Acquires one lock; returns within microseconds unless the holder is descheduled or stopped. */
    public void acquire(int lock) {
        long at = at(lock);
        if (!take(at) && !spin(at)) {
            await(at);
        }
    }

    /** Acquires two locks, which may be the same one. */
    public void acquire(int one, int two) {
        acquire(Math.min(one, two));
        if (one != two) {
            try {
                acquire(Math.max(one, two));
            } catch (RuntimeException | Error e) {
                release(Math.min(one, two));
                throw e;
            }
        }
    }

    /** Acquires two locks, which may be the same one, if that takes microseconds; else neither. */
    public boolean tryAcquire(int one, int two) {
        int first = Math.min(one, two);
        if (!tryAcquire(first)) {
            return false;
        }
        if (one != two && !tryAcquire(Math.max(one, two))) {
            release(first);
            return false;
        }
        return true;
    }

    private boolean tryAcquire(int lock) {
        long at = at(lock);
        return take(at) || spin(at) || takeFromDead(at);
    }

    private boolean take(long at) {
        return SharedWord.compareAndSet(memory, at, 0, holder);
    }

    private boolean takeIfFree(long at) {
        return SharedWord.getVolatile(memory, at) == 0 && take(at);
    }

    private boolean spin(long at) {
        for (int attempt = 0; attempt < SPINS_BEFORE_YIELD; attempt++) {
            if (takeIfFree(at)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private boolean takeFromDead(long at) {
        int current = SharedWord.getVolatile(memory, at);
        return current != 0 && !isAlive.test(current) && SharedWord.compareAndSet(memory, at, current, holder);
    }

    private void await(long at) {
        for (int attempt = SPINS_BEFORE_YIELD; attempt < YIELDS_BEFORE_LIVENESS_CHECK; attempt++) {
            if (takeIfFree(at)) {
                return;
            }
            Thread.yield();
        }
        int slot = waits.begin(WaitKind.ACCUMULATE, SharedWord.getVolatile(memory, at), 0, 0);
        long pauseNs = FIRST_PAUSE_NS;
        try {
            while (!takeFromDead(at) && !takeIfFree(at)) {
                check.run();
                LockSupport.parkNanos(this, pauseNs);
                pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
            }
        } finally {
            waits.end(slot);
        }
    }

    /**
     * Releases; the next holder's acquire is the partner of this release store.
     *
     * @throws DamagedMemoryException when the lock has been overwritten: somebody else may have held it, too
     */
    public void release(int lock) {
        int found = SharedWord.getVolatile(memory, at(lock));
        if (found != holder) {
            throw new DamagedMemoryException("lock " + lock + " of accumulates in " + where, "its holder, " + holder
                + ", finds " + found + " in it");
        }
        SharedWord.setRelease(memory, at(lock), 0);
    }

    /** Releases what {@link #acquire(int, int)} or {@link #tryAcquire(int, int)} has acquired. */
    public void release(int one, int two) {
        release(one);
        if (one != two) {
            release(two);
        }
    }
}
