package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.Frames;

/**
 * A strided region of memory, walked as one stream of bytes that can stop and go on anywhere: equal contiguous blocks,
 * {@code counts[0]} of them {@code strides[0]} bytes apart, {@code counts[1]} such rows {@code strides[1]} apart, and
 * so on. With no level it is one contiguous range. Strides may be negative. Reusable: {@link #begin} starts anew
 * without allocating.
 */
public final class StridedRegion {
    private final long[] counts = new long[Frames.MAX_LEVELS];
    private final long[] strides = new long[Frames.MAX_LEVELS];
    private final long[] index = new long[Frames.MAX_LEVELS];
    private MemorySegment memory = MemorySegment.NULL;
    private int levels;
    private long blockBytes;
    private long blockStart;
    private long within;
    private long remaining;
    private long low;
    private long high;

    /** Starts a region at a block; add levels, innermost first, before moving bytes. */
    public StridedRegion begin(MemorySegment base, long offset, long blockLengthInBytes) {
        memory = base;
        levels = 0;
        blockBytes = blockLengthInBytes;
        blockStart = offset;
        within = 0;
        remaining = blockLengthInBytes;
        low = offset;
        long end = offset + blockLengthInBytes;
        // A block that ends beyond the range of a long must not look as if it ended before everything.
        high = end < offset && blockLengthInBytes > 0 ? Long.MAX_VALUE : end;
        return this;
    }

    /**
     * Adds a level; a level that only continues the block is merged into it.
     *
     * @throws ArithmeticException      when the extent does not fit a long
     * @throws IllegalArgumentException when there are too many levels or the count is negative
     */
    public StridedRegion level(long stride, long count) {
        if (count < 0) {
            throw new IllegalArgumentException("negative count " + count);
        }
        remaining = Math.multiplyExact(remaining, count);
        if (count > 1) {
            long span = Math.multiplyExact(stride, count - 1);
            low = Math.addExact(low, Math.min(span, 0));
            high = Math.addExact(high, Math.max(span, 0));
        }
        if (levels == 0 && stride == blockBytes && count > 0) {
            blockBytes = Math.multiplyExact(blockBytes, count);
        } else if (count != 1) {
            if (levels == Frames.MAX_LEVELS) {
                throw new IllegalArgumentException("more than " + Frames.MAX_LEVELS + " strided levels");
            }
            counts[levels] = count;
            strides[levels] = stride;
            index[levels] = 0;
            levels++;
        }
        return this;
    }

    /** Lowest byte offset that the region touches. */
    public long low() {
        return low;
    }

    /** One past the highest byte offset that the region touches. */
    public long high() {
        return high;
    }

    /** Bytes still to be moved; at the beginning, all bytes of the region. */
    public long remaining() {
        return remaining;
    }

    /** Where the next byte lies. */
    public long position() {
        return blockStart + within;
    }

    /** Bytes that lie contiguously from {@link #position()} on. */
    public long contiguous() {
        return remaining == 0 ? 0 : blockBytes - within;
    }

    public MemorySegment memory() {
        return memory;
    }

    public boolean isContiguous() {
        return levels == 0;
    }

    /** Moves on by at most {@link #contiguous()} bytes without touching them. */
    public void advance(long bytes) {
        within += bytes;
        remaining -= bytes;
        if (within == blockBytes && remaining > 0) {
            nextBlock();
        }
    }

    private void nextBlock() {
        within = 0;
        for (int level = 0; level < levels; level++) {
            blockStart += strides[level];
            if (++index[level] < counts[level]) {
                return;
            }
            blockStart -= strides[level] * counts[level];
            index[level] = 0;
        }
    }

    /** Copies the next {@code length} bytes of the region from a packed buffer. */
    public void scatter(MemorySegment packed, long offset, long length) {
        scatter(packed, offset, length, memory);
    }

    /** The same through another view of the region's memory. */
    public void scatter(MemorySegment packed, long offset, long length, MemorySegment view) {
        long from = offset;
        long left = length;
        while (left > 0) {
            long bytes = Math.min(left, contiguous());
            MemorySegment.copy(packed, from, view, position(), bytes);
            advance(bytes);
            from += bytes;
            left -= bytes;
        }
    }

    /** Copies the next {@code length} bytes of the region into a packed buffer. */
    public void gather(MemorySegment packed, long offset, long length) {
        long to = offset;
        long left = length;
        while (left > 0) {
            long bytes = Math.min(left, contiguous());
            MemorySegment.copy(memory, position(), packed, to, bytes);
            advance(bytes);
            to += bytes;
            left -= bytes;
        }
    }

    /** Copies all of another region of the same size into this one, block by block. */
    public void copyFrom(StridedRegion source) {
        while (remaining > 0) {
            long bytes = Math.min(contiguous(), source.contiguous());
            MemorySegment.copy(source.memory, source.position(), memory, position(), bytes);
            advance(bytes);
            source.advance(bytes);
        }
    }

    /** Forgets the memory, so that it can be unmapped and collected. */
    public void release() {
        memory = MemorySegment.NULL;
        remaining = 0;
    }
}
