package org.tributary.server.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.IntPredicate;
import org.agrona.collections.Long2ObjectHashMap;
import org.tributary.wire.shm.MutexWord;

/**
 * Who waits for the contended mutexes of this node, first in first out. The words themselves are in shared memory
 * ({@link MutexWord}); a queue exists here for exactly those whose contended bit is set. No I/O: grants go to
 * {@link Waiter#granted()}. Owned by the event loop.
 */
public final class MutexQueues {
    /** Someone who waits for a mutex. */
    public interface Waiter {
        int rank();

        void granted();
    }

    private final IntPredicate isLocal;
    private final int ranks;
    /** By segment, then by number within it. */
    private final Long2ObjectHashMap<Long2ObjectHashMap<ArrayDeque<Waiter>>> queues = new Long2ObjectHashMap<>();
    /** What ranks wait for, and what those of other nodes hold: of those of the node only the words know that. */
    private final RankIndex ofRanks = new RankIndex();
    private int waiting;

    /** The mutexes of a node; {@code isLocal} tells its ranks from others, of {@code ranks} in the job. */
    public MutexQueues(IntPredicate isLocal, int ranks) {
        this.isLocal = isLocal;
        this.ranks = ranks;
    }

    private static long number(int home, long offset) {
        return (long) home << 32 | offset / MutexWord.STRIDE;
    }

    private ArrayDeque<Waiter> queue(long segment, long number) {
        Long2ObjectHashMap<ArrayDeque<Waiter>> ofSegment = queues.get(segment);
        return ofSegment == null ? null : ofSegment.get(number);
    }

    private void removeQueue(long segment, long number) {
        Long2ObjectHashMap<ArrayDeque<Waiter>> ofSegment = queues.get(segment);
        if (ofSegment != null) {
            ofSegment.remove(number);
        }
    }

    /** Takes the mutex if it is free. */
    public boolean tryLock(NodeSegment segment, int home, long offset, int rank) {
        boolean taken = MutexWord.tryAcquire(segment.part(home), offset, rank);
        if (taken) {
            taken(segment.id(), number(home, offset), rank);
        }
        return taken;
    }

    /** Grants the mutex at once if it is free, else queues. */
    public void lock(NodeSegment segment, int home, long offset, Waiter waiter) {
        MemorySegment words = segment.part(home);
        long number = number(home, offset);
        check(segment, home, offset, queue(segment.id(), number) != null);
        if (MutexWord.contendOrAcquire(words, offset, waiter.rank())) {
            queues.computeIfAbsent(segment.id(), id -> new Long2ObjectHashMap<>())
                .computeIfAbsent(number, key -> new ArrayDeque<>()).addLast(waiter);
            ofRanks.add(waiter.rank(), segment.id(), number);
            waiting++;
        } else {
            taken(segment.id(), number, waiter.rank());
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
        queues.forEachLong((id, ofSegment) -> {
            NodeSegment segment = segments.find(id);
            ofSegment.forEachLong((number, queue) ->
                check(segment, (int) (number >> 32), (int) number * MutexWord.STRIDE, true));
        });
    }

    private void taken(long segment, long number, int rank) {
        if (!isLocal.test(rank)) {
            ofRanks.add(rank, segment, number);
        }
    }

    /** Releases a mutex that {@code rank} holds and hands it to the one that waits longest. */
    public void unlock(NodeSegment segment, int home, long offset, int rank) {
        MemorySegment words = segment.part(home);
        long number = number(home, offset);
        if (!isLocal.test(rank)) {
            ofRanks.remove(rank, segment.id(), number);
        }
        if (MutexWord.tryRelease(words, offset, rank)) {
            return;
        }
        ArrayDeque<Waiter> queue = queue(segment.id(), number);
        Waiter next = queue == null ? null : queue.pollFirst();
        if (next == null) {
            removeQueue(segment.id(), number);
            MutexWord.free(words, offset);
            return;
        }
        waiting--;
        ofRanks.remove(next.rank(), segment.id(), number);
        if (queue.isEmpty()) {
            removeQueue(segment.id(), number);
        }
        MutexWord.handOver(words, offset, next.rank(), !queue.isEmpty());
        taken(segment.id(), number, next.rank());
        next.granted();
    }

    /**
     * A rank is gone: it waits for nothing any more, and what it holds goes to the next. The time depends on what it
     * has, and, for a rank of the node, on how many mutexes the node has: those it takes without the server.
     */
    public void rankGone(int rank, SegmentRegistry segments) {
        long[] known = ofRanks.segments(rank);
        for (long id : known) {
            ofRanks.forEach(rank, id, number -> stopWaiting(id, number, rank));
        }
        if (isLocal.test(rank)) {
            segments.forEach(segment -> {
                if (segment.kind() == SegmentKind.MUTEXES) {
                    releaseAll(segment, rank);
                }
            });
        } else {
            for (long id : known) {
                NodeSegment segment = segments.find(id);
                ofRanks.forEach(rank, id,
                    number -> release(segment, (int) (number >> 32), (int) number * MutexWord.STRIDE, rank));
            }
        }
        ofRanks.forgetRank(rank);
    }

    private void stopWaiting(long segment, long number, int rank) {
        ArrayDeque<Waiter> queue = queue(segment, number);
        if (queue != null) {
            int before = queue.size();
            queue.removeIf(waiter -> waiter.rank() == rank);
            waiting -= before - queue.size();
        }
    }

    private void releaseAll(NodeSegment segment, int rank) {
        for (int part = 0; part < segment.layout().partCount(); part++) {
            int home = segment.layout().rank(part);
            long bytes = segment.part(home).byteSize();
            for (long offset = 0; offset < bytes; offset += MutexWord.STRIDE) {
                release(segment, home, offset, rank);
            }
        }
    }

    private void release(NodeSegment segment, int home, long offset, int rank) {
        if (MutexWord.holder(segment.part(home), offset) == rank) {
            unlock(segment, home, offset, rank);
        }
    }

    /** Forgets the mutexes of a segment that is freed; false while somebody waits for one. */
    public boolean remove(long segmentId) {
        Long2ObjectHashMap<ArrayDeque<Waiter>> ofSegment = queues.get(segmentId);
        if (ofSegment != null && ofSegment.values().stream().anyMatch(queue -> !queue.isEmpty())) {
            return false;
        }
        queues.remove(segmentId);
        ofRanks.forgetSegment(segmentId);
        return true;
    }

    /** Requests that wait. */
    int waiting() {
        return waiting;
    }
}
