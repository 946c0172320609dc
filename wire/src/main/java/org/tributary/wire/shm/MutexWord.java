package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * A mutex as one shared 8-byte word, each on a cache line of its own.
 *
 * <pre>
 *   bit 63      62..32    31..0
 *   contended   0         holder's rank + 1, or 0 when free
 * </pre>
 *
 * <p>While it is uncontended, ranks take and release it by compare-and-swap without the server. A rank that finds it
 * held asks the server, which sets {@code contended} and queues the rank; from then on the fast release fails, and the
 * server hands the mutex to the head of its queue, first in first out. The word stays contended until the queue is
 * empty, so no rank can overtake. Only the server changes a contended word. Compare-and-swap on both sides orders what
 * the mutex protects: the releasing one is the partner of the acquiring one.
 */
public final class MutexWord {
    /** Bytes from one mutex to the next. */
    public static final long STRIDE = 64;
    static final long CONTENDED = Long.MIN_VALUE;
    private static final long FREE = 0;

    private MutexWord() {
    }

    /** Where mutex {@code index} lies in its rank's part. */
    public static long offset(int index) {
        return index * STRIDE;
    }

    /** Takes a free, uncontended mutex. */
    public static boolean tryAcquire(MemorySegment memory, long offset, int rank) {
        return SharedWord.compareAndSetLong(memory, offset, FREE, rank + 1L);
    }

    /** Releases a mutex that the rank holds and nobody waits for. */
    public static boolean tryRelease(MemorySegment memory, long offset, int rank) {
        return SharedWord.compareAndSetLong(memory, offset, rank + 1L, FREE);
    }

    /** Rank that holds the mutex, or -1. */
    public static int holder(MemorySegment memory, long offset) {
        return (int) (SharedWord.getLongAcquire(memory, offset) & ~CONTENDED) - 1;
    }

    /**
     * Server: that the word is as it must be for a mutex with a queue, or one without.
     *
     * @param ranks of the job
     * @param where name of the mutex
     * @throws DamagedMemoryException when it is not
     */
    public static void check(MemorySegment memory, long offset, boolean hasQueue, int ranks, Supplier<String> where) {
        long word = SharedWord.getLongAcquire(memory, offset); // read once
        long holder = word & ~CONTENDED;
        if ((word & CONTENDED) != 0 != hasQueue || holder > ranks || hasQueue && holder == FREE) {
            throw new DamagedMemoryException(where.get(), "its word is 0x" + Long.toHexString(word) + " while "
                + (hasQueue ? "some wait" : "nobody waits") + " for it, in a job of " + ranks + " ranks");
        }
    }

    /** Server: marks a held mutex as contended; false when it was free, and then acquires it for {@code rank}. */
    public static boolean contendOrAcquire(MemorySegment memory, long offset, int rank) {
        while (true) {
            long word = SharedWord.getLongAcquire(memory, offset);
            if (word == FREE) {
                if (tryAcquire(memory, offset, rank)) {
                    return false;
                }
            } else if ((word & CONTENDED) != 0
                || SharedWord.compareAndSetLong(memory, offset, word, word | CONTENDED)) {
                return true;
            }
        }
    }

    /** Server: gives a mutex whose holder has released it to {@code rank}; {@code moreWaiting} keeps it contended. */
    public static void handOver(MemorySegment memory, long offset, int rank, boolean moreWaiting) {
        SharedWord.setLongRelease(memory, offset, rank + 1L | (moreWaiting ? CONTENDED : 0));
    }

    /** Server: frees a contended mutex that the rank holds and nobody waits for any more; false when it is none. */
    public static boolean free(MemorySegment memory, long offset, int rank) {
        return SharedWord.compareAndSetLong(memory, offset, rank + 1L | CONTENDED, FREE);
    }
}
