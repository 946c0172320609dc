package org.tributary.client.connection;

import java.lang.foreign.MemorySegment;

/** Takes the concatenated answer to a vector get apart. Reusable. Guarded by the lock of the links. */
public final class RangeCursor {
    private MemorySegment buffer;
    private long[] offsets;
    private int[] lengths;
    private int range;
    private int within;
    private long remaining;

    RangeCursor() {
    }

    /** The answer goes to ranges {@code from} to {@code to}, exclusive, of a buffer. */
    public void begin(MemorySegment target, long[] offsetsInTarget, int[] lengthsInBytes, int from, int to) {
        buffer = target;
        offsets = offsetsInTarget;
        lengths = lengthsInBytes;
        range = from;
        within = 0;
        remaining = 0;
        for (int i = from; i < to; i++) {
            remaining += lengths[i];
        }
    }

    boolean isBegun() {
        return buffer != null;
    }

    /** Bytes still to come. */
    long remaining() {
        return remaining;
    }

    /** Copies the next {@code length} bytes of the answer to where they belong. */
    void scatter(MemorySegment source, long offset, long length) {
        MemorySegment target = OwnersMemory.reachable(buffer);
        long from = offset;
        long left = length;
        while (left > 0) {
            int piece = (int) Math.min(left, lengths[range] - within);
            MemorySegment.copy(source, from, target, offsets[range] + within, piece);
            within += piece;
            from += piece;
            left -= piece;
            if (within == lengths[range]) {
                range++;
                within = 0;
            }
        }
        remaining -= length;
    }

    /** Forgets the memory, so that it can be unmapped and collected. */
    void release() {
        buffer = null;
        offsets = null;
        lengths = null;
    }
}
