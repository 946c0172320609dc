package org.tributary.aggregation;

import org.agrona.collections.Long2LongHashMap;
import org.tributary.aggregation.RequestQueue.Kind;

/**
 * Finds waiting requests that a new one can become one with: fetch-and-adds to one word, accumulates to one range.
 * <p>
 * The new request takes the place of the one that waits, ahead of what came in between. All of these are concurrent, as
 * none has been executed or answered, so any order of them is allowed (Herlihy and Wing, Linearizability) but for those
 * of one source, which take effect as issued. Hence a source's request joins only one behind which nothing of that
 * source waits. The combined request is executed at once, so nothing gets between its parts; they follow each other in
 * the order in which they came (Gottlieb et al., The NYU Ultracomputer).
 */
public final class Combiner {
    private static final long NONE = -1;
    private static final int MIN_KEYS = 64;

    private final RequestQueue queue;
    private final Long2LongHashMap byKey = new Long2LongHashMap(NONE);
    private final Long2LongHashMap lastOfSource = new Long2LongHashMap(NONE);

    public Combiner(RequestQueue queue) {
        this.queue = queue;
    }

    /** The number of the waiting request that one of {@code source} may join; -1 when there is none. */
    public long find(Kind kind, int source, long segment, int rank, long offset, long form) {
        forgetWhenEmpty();
        long number = byKey.get(key(kind, segment, rank, offset, form));
        return number >= queue.head() && lastOfSource.get(source) <= number
            && queue.isOn(number, kind, segment, rank, offset, form) ? number : NONE;
    }

    /** A request of {@code source} waits in the queue: later ones of it must not get ahead. */
    public void queued(long number, int source) {
        forgetWhenEmpty();
        lastOfSource.put(source, number);
    }

    /** Others may join that request. */
    public void offer(long number, Kind kind, long segment, int rank, long offset, long form) {
        if (byKey.size() > MIN_KEYS + 4 * (queue.tail() - queue.head())) {
            byKey.clear();
        }
        byKey.put(key(kind, segment, rank, offset, form), number);
    }

    private void forgetWhenEmpty() {
        if (queue.isEmpty() && !lastOfSource.isEmpty()) {
            byKey.clear();
            lastOfSource.clear();
        }
    }

    /** Equal for equal requests; what differs is found out by comparing. */
    private static long key(Kind kind, long segment, int rank, long offset, long form) {
        long hash = segment * 0x9E3779B97F4A7C15L + rank;
        hash = (hash ^ hash >>> 29) * 0xBF58476D1CE4E5B9L + offset;
        hash = (hash ^ hash >>> 32) * 0x94D049BB133111EBL + form;
        return (hash ^ hash >>> 31) * 4 + kind.ordinal();
    }
}
