package org.tributary.server;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.tributary.wire.shm.MutexWord;

/**
 * Who waits for the contended mutexes of this node, first in first out. The words themselves are in shared memory
 * ({@link MutexWord}); a queue exists here for exactly those whose contended bit is set. No I/O: grants go to
 * {@link Waiter#granted()}. Owned by the event loop.
 */
final class MutexQueues {
    /** Someone who waits for a mutex. */
    interface Waiter {
        int rank();

        void granted();
    }

    private record Key(long segmentId, int home, long offset) {
    }

    private final Map<Key, ArrayDeque<Waiter>> queues = new HashMap<>();
    private int waiting;

    /** Grants the mutex at once if it is free, else queues. */
    void lock(NodeSegment segment, int home, long offset, Waiter waiter) {
        MemorySegment words = segment.part(home);
        if (MutexWord.contendOrAcquire(words, offset, waiter.rank())) {
            queues.computeIfAbsent(new Key(segment.id(), home, offset), key -> new ArrayDeque<>()).addLast(waiter);
            waiting++;
        } else {
            waiter.granted();
        }
    }

    /** Releases a mutex that {@code rank} holds and hands it to whoever waits longest. */
    void unlock(NodeSegment segment, int home, long offset, int rank) {
        MemorySegment words = segment.part(home);
        if (MutexWord.tryRelease(words, offset, rank)) {
            return;
        }
        Key key = new Key(segment.id(), home, offset);
        ArrayDeque<Waiter> queue = queues.get(key);
        Waiter next = queue == null ? null : queue.pollFirst();
        if (next == null) {
            queues.remove(key);
            MutexWord.free(words, offset);
            return;
        }
        waiting--;
        if (queue.isEmpty()) {
            queues.remove(key);
        }
        MutexWord.handOver(words, offset, next.rank(), !queue.isEmpty());
        next.granted();
    }

    /** A rank is gone: it waits for nothing any more, and what it holds goes to the next. */
    void rankGone(int rank, SegmentRegistry segments) {
        for (ArrayDeque<Waiter> queue : queues.values()) {
            int before = queue.size();
            queue.removeIf(waiter -> waiter.rank() == rank);
            waiting -= before - queue.size();
        }
        segments.forEach(segment -> {
            if (segment.kind() == SegmentKind.MUTEXES) {
                releaseAll(segment, rank);
            }
        });
    }

    private void releaseAll(NodeSegment segment, int rank) {
        for (int part = 0; part < segment.layout().partCount(); part++) {
            int home = segment.layout().rank(part);
            MemorySegment words = segment.part(home);
            for (long offset = 0; offset < words.byteSize(); offset += MutexWord.STRIDE) {
                if (MutexWord.holder(words, offset) == rank) {
                    unlock(segment, home, offset, rank);
                }
            }
        }
    }

    /** Forgets the queues of a segment that is freed; false while somebody waits in one. */
    boolean remove(long segmentId) {
        boolean busy = queues.entrySet().stream()
            .anyMatch(entry -> entry.getKey().segmentId() == segmentId && !entry.getValue().isEmpty());
        if (!busy) {
            queues.keySet().removeIf(key -> key.segmentId() == segmentId);
        }
        return !busy;
    }

    /** Requests that wait. */
    int waiting() {
        return waiting;
    }
}
