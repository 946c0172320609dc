package org.tributary.server.memory;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;
import org.tributary.wire.shm.MutexWord;

/**
 * Mutexes of this node that a rank of another one holds, and has taken on an event loop that is not the main one: by
 * compare-and-swap, as ranks of the node do without a server. A mutex is here, or what the main loop knows of ({@link
 * MutexQueues}), or not the rank's:
 *
 * <pre>
 *   not held -- tryLock, own loop ------> here
 *   here     -- tryUnlock, own loop ----> not held            while nobody waits
 *   here     -- tryUnlock, own loop ----> the main loop's     when somebody does; that loop is asked to release it
 *   here     -- tellMain, main loop ----> the main loop's     before the rank's departure
 *   not held &lt;-- MutexQueues, main loop -> the main loop's
 * </pre>
 *
 * <p>Only the word is shared: once somebody waits for the mutex, it is contended, and no compare-and-swap here
 * succeeds. Owned by the loop of the rank's connection; the main one has it while it does work for the connection, and
 * after its end.
 */
public final class TakenMutexes {
    /** Those of a segment. */
    private record OfSegment(NodeSegment segment, LongHashSet numbers) {
    }

    private final int rank;
    private final Long2ObjectHashMap<OfSegment> held = new Long2ObjectHashMap<>();

    /** None yet, of that rank. */
    public TakenMutexes(int rank) {
        this.rank = rank;
    }

    /** Takes a mutex that nobody holds. */
    public boolean tryLock(NodeSegment segment, int home, long offset) {
        if (!MutexWord.tryAcquire(segment.part(home), offset, rank)) {
            return false;
        }
        OfSegment known = held.get(segment.id());
        if (known == null || known.segment != segment) {
            held.values().removeIf(other -> other.segment.isRemoved());
            known = new OfSegment(segment, new LongHashSet());
            held.put(segment.id(), known);
        }
        known.numbers.add(MutexQueues.number(home, offset));
        return true;
    }

    /** Releases a mutex that was taken here, and that nobody waits for; false for the main loop to do so. */
    public boolean tryUnlock(NodeSegment segment, int home, long offset) {
        OfSegment known = held.get(segment.id());
        return known != null && known.segment == segment && known.numbers.remove(MutexQueues.number(home, offset))
            && MutexWord.tryRelease(segment.part(home), offset, rank);
    }

    /**
     * The rank leaves, or its connection has ended: the main loop is to know what it holds of the mutexes that have not
     * been freed meanwhile. On that loop.
     */
    public void tellMain(MutexQueues mutexes) {
        held.values().forEach(known -> {
            if (!known.segment.isRemoved()) {
                known.numbers.forEachLong(number -> mutexes.held(known.segment.id(), number, rank));
            }
        });
        held.clear();
    }
}
