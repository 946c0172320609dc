package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.tributary.wire.codec.LockMode;

/**
 * The reader-writer lock of one rank's part of a window: one 8-byte word at {@link WindowLayout#LOCK} of its control
 * words, held by any number of ranks in {@link LockMode#SHARED} or by one in {@link LockMode#EXCLUSIVE}.
 *
 * <pre>
 *   bit 63      62..32           31..0
 *   contended   shared holders   exclusive holder's rank + 1, or 0
 * </pre>
 *
 * <p>While it is uncontended, ranks take and release it by compare-and-swap without the server. A rank that finds it
 * held in an excluding mode asks the server, which sets {@code contended} and queues the rank. From then on both fast
 * paths fail. So no rank overtakes, nor does a reader overtake a waiting writer unless it holds the lock of another
 * part ({@link #join}), and every release goes through the server, which hands the lock to the head of its queue, first
 * in first out. The bit goes when the queue is empty. Only the server changes a contended word. Compare-and-swap on
 * both sides orders what the lock protects: the releasing one is the partner of the acquiring one, as is the server's
 * release store in {@link #handOver}.
 */
public final class WindowLock {
    private static final long CONTENDED = Long.MIN_VALUE;
    private static final long FREE = 0;
    private static final long ONE_SHARED = 1L << 32;
    private static final long EXCLUSIVE_HOLDER = ONE_SHARED - 1;

    private WindowLock() {
    }

    /**
     * Takes the lock if nobody waits and no holder excludes the mode.
     *
     * @param memory control words of the rank whose part is locked
     * @param rank   the rank that takes it
     * @return false to ask the server by {@code LockWindow}
     */
    public static boolean tryAcquire(MemorySegment memory, LockMode mode, int rank) {
        if (mode == LockMode.EXCLUSIVE) {
            return SharedWord.compareAndSetLong(memory, WindowLayout.LOCK, FREE, rank + 1L);
        }
        while (true) {
            long word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK);
            if ((word & (CONTENDED | EXCLUSIVE_HOLDER)) != 0) {
                return false;
            }
            if (SharedWord.compareAndSetLong(memory, WindowLayout.LOCK, word, word + ONE_SHARED)) {
                return true;
            }
        }
    }

    /**
     * Releases the lock that the rank holds in this mode if nobody waits.
     *
     * @return false to tell the server by {@code UnlockWindow}
     */
    public static boolean tryRelease(MemorySegment memory, LockMode mode, int rank) {
        if (mode == LockMode.EXCLUSIVE) {
            return SharedWord.compareAndSetLong(memory, WindowLayout.LOCK, rank + 1L, FREE);
        }
        while (true) {
            long word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK);
            if ((word & CONTENDED) != 0 || word < ONE_SHARED) {
                return false;
            }
            if (SharedWord.compareAndSetLong(memory, WindowLayout.LOCK, word, word - ONE_SHARED)) {
                return true;
            }
        }
    }

    /** Rank that holds the lock exclusively, or -1. */
    public static int exclusiveHolder(MemorySegment memory) {
        return (int) (SharedWord.getLongAcquire(memory, WindowLayout.LOCK) & EXCLUSIVE_HOLDER) - 1;
    }

    /** How many hold it shared. */
    public static int sharedHolders(MemorySegment memory) {
        return (int) ((SharedWord.getLongAcquire(memory, WindowLayout.LOCK) & ~CONTENDED) >>> 32);
    }

    /**
     * Server: that the word is as it must be when some wait for the lock, or nobody does.
     *
     * @param ranks of the job
     * @param where name of the lock
     * @throws DamagedMemoryException when it is not
     */
    public static void check(MemorySegment memory, boolean isAwaited, int ranks, Supplier<String> where) {
        long word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK); // read once
        long holder = word & EXCLUSIVE_HOLDER;
        long shared = (word & ~CONTENDED) >>> 32;
        if ((word & CONTENDED) != 0 != isAwaited || holder > ranks || shared > ranks || holder != 0 && shared != 0) {
            throw new DamagedMemoryException(where.get(), "its word is 0x" + Long.toHexString(word) + " while "
                + (isAwaited ? "some wait" : "nobody waits") + " for it, in a job of " + ranks + " ranks");
        }
    }

    /** Server: takes the lock as {@link #tryAcquire} does, or marks it as contended and returns false. */
    public static boolean acquireOrContend(MemorySegment memory, LockMode mode, int rank) {
        while (true) {
            if (tryAcquire(memory, mode, rank)) {
                return true;
            }
            long word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK);
            // A word that is compatible by now is tried again: somebody has released it in between.
            if ((word & CONTENDED) != 0 || excludes(word, mode)
                && SharedWord.compareAndSetLong(memory, WindowLayout.LOCK, word, word | CONTENDED)) {
                return false;
            }
        }
    }

    /** Server: takes the lock beside its readers, though a writer may wait for it; false while a writer holds it. */
    public static boolean join(MemorySegment memory) {
        long word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK);
        while (!excludes(word, LockMode.SHARED)) {
            if (SharedWord.compareAndSetLong(memory, WindowLayout.LOCK, word, word + ONE_SHARED)) {
                return true;
            }
            word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK);
        }
        return false;
    }

    /** Server: whether some wait for the lock. */
    public static boolean isContended(MemorySegment memory) {
        return (SharedWord.getLongAcquire(memory, WindowLayout.LOCK) & CONTENDED) != 0;
    }

    /** Server: marks the lock as contended, whether it is held or free. */
    public static void contend(MemorySegment memory) {
        long word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK);
        while (!SharedWord.compareAndSetLong(memory, WindowLayout.LOCK, word, word | CONTENDED)) {
            word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK);
        }
    }

    /** Server: whether the holders of a contended lock admit another one in the mode. */
    public static boolean admits(MemorySegment memory, LockMode mode) {
        return !excludes(SharedWord.getLongAcquire(memory, WindowLayout.LOCK) & ~CONTENDED, mode);
    }

    private static boolean excludes(long word, LockMode mode) {
        return mode == LockMode.EXCLUSIVE ? (word & ~CONTENDED) != FREE : (word & EXCLUSIVE_HOLDER) != 0;
    }

    /**
     * Server: gives a contended lock to a rank that has waited for it.
     *
     * @param moreWaiting keeps it contended
     * @return false when its holders exclude the mode
     */
    public static boolean handOver(MemorySegment memory, LockMode mode, int rank, boolean moreWaiting) {
        long word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK) & ~CONTENDED;
        if (excludes(word, mode)) {
            return false;
        }
        long taken = mode == LockMode.EXCLUSIVE ? rank + 1L : word + ONE_SHARED;
        SharedWord.setLongRelease(memory, WindowLayout.LOCK, taken | (moreWaiting ? CONTENDED : 0));
        return true;
    }

    /** Server: releases a contended lock for one of its holders; it stays contended. */
    public static void releaseContended(MemorySegment memory, LockMode mode) {
        long word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK);
        SharedWord.setLongRelease(memory, WindowLayout.LOCK,
            mode == LockMode.EXCLUSIVE ? CONTENDED : word - ONE_SHARED);
    }

    /** Server: nobody waits for a contended lock any more. */
    public static void settle(MemorySegment memory) {
        long word = SharedWord.getLongAcquire(memory, WindowLayout.LOCK);
        SharedWord.setLongRelease(memory, WindowLayout.LOCK, word & ~CONTENDED);
    }
}
