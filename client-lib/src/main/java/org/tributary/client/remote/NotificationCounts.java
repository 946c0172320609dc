package org.tributary.client.remote;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Which notification of each rank a thread waits for. Each wait has a number of its own; when one fails, its
 * notification is for the next thread, and so on. Thread-safe.
 */
final class NotificationCounts {
    /** A wait of one thread for a notification of one rank. */
    static final class Wait {
        private final int rank;
        private final long seen;
        /** Less when a wait before this one has failed. */
        private volatile long number;

        private Wait(int rank, long seen, long number) {
            this.rank = rank;
            this.seen = seen;
            this.number = number;
        }

        /** How many have come when the wait is over. */
        long number() {
            return number;
        }

        /** How many had come at least when the wait began. */
        long seen() {
            return seen;
        }
    }

    private static final class OfRank {
        private final List<Wait> waits = new ArrayList<>();
        private long awaited;
        private long seen;
    }

    private final Int2ObjectHashMap<OfRank> ranks = new Int2ObjectHashMap<>();

    /** The caller waits for one more notification of a rank, behind all others; {@link #end} follows. */
    synchronized Wait begin(int rank) {
        OfRank ofRank = ranks.computeIfAbsent(rank, key -> new OfRank());
        Wait wait = new Wait(rank, ofRank.seen, ++ofRank.awaited);
        ofRank.waits.add(wait);
        return wait;
    }

    /** The wait is over: its notification has come, or the wait has failed. */
    synchronized void end(Wait wait, boolean hasCome) {
        OfRank ofRank = ranks.get(wait.rank);
        ofRank.waits.remove(wait);
        if (hasCome) {
            ofRank.seen = Math.max(ofRank.seen, wait.number);
            return;
        }
        ofRank.awaited--;
        for (Wait other : ofRank.waits) {
            if (other.number > wait.number) {
                other.number--;
            }
        }
    }
}
