package org.tributary.client;

import java.lang.foreign.MemorySegment;
import org.tributary.client.link.RangeCursor;

/** Puts the concatenated answer to a vector get into the ranges of the caller's buffer. */
final class RangeScatter implements RangeCursor {
    private final MemorySegment buffer;
    private final Ranges ranges;
    private int range;
    private int within;
    private long remaining;

    /** Ranges {@code from} to {@code to}, exclusive. */
    RangeScatter(MemorySegment buffer, Ranges ranges, int from, int to) {
        this.buffer = buffer;
        this.ranges = ranges;
        this.range = from;
        for (int i = from; i < to; i++) {
            remaining += ranges.length(i);
        }
    }

    @Override
    public long remaining() {
        return remaining;
    }

    @Override
    public void scatter(MemorySegment source, long offset, long length) {
        long from = offset;
        long left = length;
        while (left > 0) {
            int piece = (int) Math.min(left, ranges.length(range) - within);
            MemorySegment.copy(source, from, buffer, ranges.localOffset(range) + within, piece);
            within += piece;
            from += piece;
            left -= piece;
            if (within == ranges.length(range)) {
                range++;
                within = 0;
            }
        }
        remaining -= length;
    }
}
