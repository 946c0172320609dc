package org.tributary.server.memory;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.agrona.collections.Long2ObjectHashMap;
import org.tributary.wire.shm.SegmentKind;

/**
 * The queues of the locks of one kind on this node, each first in first out, and the locks of each rank: those for
 * which it waits, and, if it is of another node, those that it holds. (Locks that ranks of the node hold are known only
 * from the words in shared memory.) Locks are numbered within their segment. A call costs as much as one lock or one
 * rank has, however many there are. Owned by the event loop.
 */
public final class WaiterQueues<W extends WaiterQueues.Waiter> {
    public interface Waiter {
        int rank();

        /** The lock is held. */
        void granted();

        /** The lock is gone with its memory: nothing will be granted. */
        void freed();
    }

    interface LockAction {
        void accept(long segment, long lock);
    }

    private final IntPredicate isLocal;
    /** By segment, then by lock. */
    private final Long2ObjectHashMap<Long2ObjectHashMap<ArrayDeque<W>>> queues = new Long2ObjectHashMap<>();
    private final RankIndex ofRanks = new RankIndex();
    private int waiting;

    /** Without any; {@code isLocal} tells the node's ranks from others. */
    WaiterQueues(IntPredicate isLocal) {
        this.isLocal = isLocal;
    }

    private ArrayDeque<W> queue(long segment, long lock) {
        Long2ObjectHashMap<ArrayDeque<W>> ofSegment = queues.get(segment);
        return ofSegment == null ? null : ofSegment.get(lock);
    }

    void add(long segment, long lock, W waiter) {
        added(segment, lock, waiter).addLast(waiter);
    }

    /** Before those that wait already. */
    void addFirst(long segment, long lock, W waiter) {
        added(segment, lock, waiter).addFirst(waiter);
    }

    private ArrayDeque<W> added(long segment, long lock, W waiter) {
        ofRanks.add(waiter.rank(), segment, lock);
        waiting++;
        return queues.computeIfAbsent(segment, id -> new Long2ObjectHashMap<>())
            .computeIfAbsent(lock, key -> new ArrayDeque<>());
    }

    /** Whether there is a queue: from the first waiter on until {@link #poll} leaves none. */
    boolean exists(long segment, long lock) {
        return queue(segment, lock) != null;
    }

    boolean isAwaited(long segment, long lock) {
        return peek(segment, lock) != null;
    }

    /** The waiter that waits longest, or null. */
    W peek(long segment, long lock) {
        ArrayDeque<W> queue = queue(segment, lock);
        return queue == null ? null : queue.peekFirst();
    }

    /** Removes the waiter that waits longest; null when there is none. */
    W poll(long segment, long lock) {
        ArrayDeque<W> queue = queue(segment, lock);
        if (queue == null) {
            return null;
        }
        W first = queue.pollFirst();
        if (first != null) {
            waiting--;
            ofRanks.remove(first.rank(), segment, lock);
        }
        if (queue.isEmpty()) {
            queues.get(segment).remove(lock);
        }
        return first;
    }

    /** The waiters for a lock, the first one first. */
    Iterable<W> waiters(long segment, long lock) {
        ArrayDeque<W> queue = queue(segment, lock);
        return queue == null ? List.of() : queue;
    }

    /** A rank that is gone waits for a lock no more. */
    void drop(long segment, long lock, int rank, Consumer<W> dropped) {
        ArrayDeque<W> queue = queue(segment, lock);
        if (queue == null) {
            return;
        }
        for (Iterator<W> waiters = queue.iterator(); waiters.hasNext();) {
            W waiter = waiters.next();
            if (waiter.rank() == rank) {
                waiters.remove();
                waiting--;
                dropped.accept(waiter);
            }
        }
    }

    boolean isLocal(int rank) {
        return isLocal.test(rank);
    }

    void held(long segment, long lock, int rank) {
        if (!isLocal.test(rank)) {
            ofRanks.add(rank, segment, lock);
        }
    }

    void released(long segment, long lock, int rank) {
        if (!isLocal.test(rank)) {
            ofRanks.remove(rank, segment, lock);
        }
    }

    /** All locks that have a queue. */
    void forEach(LockAction action) {
        queues.forEachLong((segment, ofSegment) ->
            ofSegment.forEachLong((lock, queue) -> action.accept(segment, lock)));
    }

    /** The locks that a rank is known to have to do with; the action may change that. */
    void forEach(int rank, LockAction action) {
        for (long segment : ofRanks.segments(rank)) {
            ofRanks.forEach(rank, segment, lock -> action.accept(segment, lock));
        }
    }

    /** A rank is gone: {@code ofPart} looks for locks of one of the node, {@code ofLock} is given those of others. */
    void rankGone(int rank, SegmentRegistry segments, SegmentKind kind, SegmentRegistry.PartAction ofPart,
        LockAction ofLock) {
        if (isLocal(rank)) {
            segments.forEachPart(kind, ofPart);
        } else {
            forEach(rank, ofLock);
        }
        ofRanks.forgetRank(rank);
    }

    /** A segment is freed: those that wait for a lock of it hear that. */
    void forgetSegment(long segment) {
        Long2ObjectHashMap<ArrayDeque<W>> ofSegment = queues.remove(segment);
        ofRanks.forgetSegment(segment);
        if (ofSegment != null) {
            ofSegment.values().forEach(queue -> {
                waiting -= queue.size();
                queue.forEach(Waiter::freed);
            });
        }
    }

    int waiting() {
        return waiting;
    }
}
