package org.tributary.server.memory;

import java.lang.foreign.MemorySegment;
import java.util.function.IntPredicate;
import org.tributary.server.memory.WaiterQueues.Waiter;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.SegmentKind;

/**
 * The queues of the contended mutexes of this node, first in first out. The words themselves are in shared memory
 * ({@link MutexWord}); a queue exists here for exactly the mutexes whose contended bit is set. No I/O: grants go to
 * {@link Waiter#granted()}. Owned by the main event loop.
 */
public final class MutexQueues {
    private final int ranks;
    private final WaiterQueues<Waiter> queues;

    /** The mutexes of a node; {@code isLocal} tells its ranks from others, of {@code ranks} in the job. */
    public MutexQueues(IntPredicate isLocal, int ranks) {
        this.ranks = ranks;
        queues = new WaiterQueues<>(isLocal);
    }

    /** The number of a mutex in its segment. */
    public static long number(int home, long offset) {
        return (long) home << 32 | offset / MutexWord.STRIDE;
    }

    /** The rank of which the mutex with that number is. */
    public static int home(long number) {
        return (int) (number >> 32);
    }

    /** Where it lies in the rank's part. */
    public static long offset(long number) {
        return (int) number * MutexWord.STRIDE;
    }

    public boolean tryLock(NodeSegment segment, int home, long offset, int rank) {
        boolean taken = MutexWord.tryAcquire(segment.part(home), offset, rank);
        if (taken) {
            queues.held(segment.id(), number(home, offset), rank);
        }
        return taken;
    }

    /** A rank of another node has taken a mutex elsewhere. */
    public void held(long segmentId, long number, int rank) {
        queues.held(segmentId, number, rank);
    }

    /** Grants the mutex at once if it is free, else queues. */
    public void lock(NodeSegment segment, int home, long offset, Waiter waiter) {
        MemorySegment words = segment.part(home);
        long number = number(home, offset);
        check(segment, home, offset, queues.exists(segment.id(), number));
        if (MutexWord.contendOrAcquire(words, offset, waiter.rank())) {
            queues.add(segment.id(), number, waiter);
        } else {
            queues.held(segment.id(), number, waiter.rank());
            waiter.granted();
        }
    }

    private void check(NodeSegment segment, int home, long offset, boolean hasQueue) {
        MutexWord.check(segment.part(home), offset, hasQueue, ranks,
            () -> "mutex " + offset / MutexWord.STRIDE + " of rank " + home + " in " + segment.path());
    }

    /**
     * Looks whether the words of all mutexes with a queue are as they must be: of one that has been overwritten nobody
     * would tell.
     *
     * @throws org.tributary.wire.shm.DamagedMemoryException when one is not
     */
    void check(SegmentRegistry segments) {
        queues.forEach((id, number) -> check(segments.find(id), home(number), offset(number), true));
    }

    /**
     * Releases a mutex that {@code rank} holds and hands it to the one that waits longest.
     *
     * @return false when the rank does not hold it: the word of one that nobody waits for may have changed since the
     *     caller looked, because another connection of the rank has released it
     */
    public boolean unlock(NodeSegment segment, int home, long offset, int rank) {
        MemorySegment words = segment.part(home);
        long number = number(home, offset);
        queues.released(segment.id(), number, rank);
        if (MutexWord.tryRelease(words, offset, rank)) {
            return true;
        }
        Waiter next = queues.poll(segment.id(), number);
        if (next == null) {
            return MutexWord.free(words, offset, rank);
        }
        MutexWord.handOver(words, offset, next.rank(), queues.exists(segment.id(), number));
        queues.held(segment.id(), number, next.rank());
        next.granted();
        return true;
    }

    /**
     * A rank is gone: it waits for nothing any more, and what it holds goes to the next. The time depends on what it
     * has, and, for a rank of the node, on how many mutexes the node has: those it takes without the server.
     */
    public void rankGone(int rank, SegmentRegistry segments) {
        queues.forEach(rank, (id, number) -> queues.drop(id, number, rank, waiter -> { }));
        queues.rankGone(rank, segments, SegmentKind.MUTEXES, (segment, home) -> releaseAll(segment, home, rank),
            (id, number) -> release(segments.find(id), home(number), offset(number), rank));
    }

    private void releaseAll(NodeSegment segment, int home, int rank) {
        long bytes = segment.part(home).byteSize();
        for (long offset = 0; offset < bytes; offset += MutexWord.STRIDE) {
            release(segment, home, offset, rank);
        }
    }

    private void release(NodeSegment segment, int home, long offset, int rank) {
        if (MutexWord.holder(segment.part(home), offset) == rank) {
            unlock(segment, home, offset, rank);
        }
    }

    /** The mutexes of a segment are freed, whoever waits for one. */
    public void removed(long segmentId) {
        queues.forgetSegment(segmentId);
    }

    int waiting() {
        return queues.waiting();
    }
}
