package org.tributary.server.memory;

import java.util.function.LongConsumer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2LongCounterMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;

/**
 * Which locks each rank has to do with, by what the server has seen: how often it waits for or holds one. So that the
 * departure of a rank costs what that rank has, not what others have. Locks are numbered within their segment. Owned by
 * the event loop.
 */
public final class RankIndex {
    /** A rank's locks: segment, then lock, then how often. */
    private final Int2ObjectHashMap<Long2ObjectHashMap<Long2LongCounterMap>> ranks = new Int2ObjectHashMap<>();
    /** The ranks that have had to do with a segment. */
    private final Long2ObjectHashMap<Int2ObjectHashMap<Long2LongCounterMap>> segments = new Long2ObjectHashMap<>();

    /** A rank has one thing more to do with a lock. */
    public void add(int rank, long segment, long lock) {
        Long2ObjectHashMap<Long2LongCounterMap> ofRank =
            ranks.computeIfAbsent(rank, ignored -> new Long2ObjectHashMap<>());
        Long2LongCounterMap locks = ofRank.get(segment);
        if (locks == null) {
            locks = new Long2LongCounterMap(0);
            ofRank.put(segment, locks);
            segments.computeIfAbsent(segment, ignored -> new Int2ObjectHashMap<>()).put(rank, locks);
        }
        locks.incrementAndGet(lock);
    }

    /** One thing less; nothing when there is none, as for what the rank did without the server. */
    public void remove(int rank, long segment, long lock) {
        Long2ObjectHashMap<Long2LongCounterMap> ofRank = ranks.get(rank);
        Long2LongCounterMap locks = ofRank == null ? null : ofRank.get(segment);
        if (locks != null && locks.get(lock) > 0) {
            locks.decrementAndGet(lock);
        }
    }

    /** The segments with locks that a rank has had to do with. */
    public long[] segments(int rank) {
        Long2ObjectHashMap<Long2LongCounterMap> ofRank = ranks.get(rank);
        return ofRank == null ? new long[0] : ofRank.keySet().stream().mapToLong(Long::longValue).toArray();
    }

    /** The locks of a segment that a rank has to do with, ascending; the action may change that. */
    public void forEach(int rank, long segment, LongConsumer action) {
        Long2ObjectHashMap<Long2LongCounterMap> ofRank = ranks.get(rank);
        Long2LongCounterMap locks = ofRank == null ? null : ofRank.get(segment);
        if (locks != null) {
            LongArrayList now = new LongArrayList(locks.size(), 0);
            locks.forEach((lock, count) -> now.addLong(lock));
            now.longStream().sorted().forEach(action);
        }
    }

    public void forgetRank(int rank) {
        Long2ObjectHashMap<Long2LongCounterMap> ofRank = ranks.remove(rank);
        if (ofRank != null) {
            ofRank.keySet().forEach(segment -> segments.get(segment.longValue()).remove(rank));
        }
    }

    public void forgetSegment(long segment) {
        Int2ObjectHashMap<Long2LongCounterMap> ofSegment = segments.remove(segment);
        if (ofSegment != null) {
            ofSegment.keySet().forEach(rank -> ranks.get(rank.intValue()).remove(segment));
        }
    }

    /** Entries, of all ranks. */
    public int size() {
        int size = 0;
        for (Long2ObjectHashMap<Long2LongCounterMap> ofRank : ranks.values()) {
            for (Long2LongCounterMap locks : ofRank.values()) {
                size += locks.size();
            }
        }
        return size;
    }
}
