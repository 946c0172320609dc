package org.tributary.client.adapter;

import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Shape;
import org.tributary.client.shape.Strided;

/**
 * What a put or get moves, block by block: contiguous bytes, a shape, or ranges. Offsets are in bytes, in the memory of
 * the other rank and in that of the caller. One thread.
 */
public final class Blocks {
    private final Strided strided;
    private final Ranges ranges;
    private final long[] index;
    private final long bytes;
    private final long first;
    private long remote;
    private long local;
    private long left;
    private int range;

    private Blocks(Shape shape, long bytes, long offset, long at) {
        this.strided = shape instanceof Strided levels ? levels : null;
        this.ranges = shape instanceof Ranges list ? list : null;
        this.index = strided == null ? null : new long[strided.levels()];
        this.bytes = bytes;
        this.remote = offset;
        this.local = at;
        this.left = strided == null ? bytes : strided.meanBlockBytes();
        if (ranges != null) {
            range = -1;
            left = 0;
            advance();
        }
        first = remote;
    }

    /**
     * Blocks of a shape, or {@code length} bytes when that is null.
     *
     * @param offset in the memory of the other rank, and {@code at} in that of the caller; not for ranges, which have
     *               both
     */
    public static Blocks of(long offset, long at, long length, Shape shape) {
        return new Blocks(shape, shape != null ? shape.bytes() : length, offset, at);
    }

    /** Bytes of all blocks. */
    long bytes() {
        return bytes;
    }

    /** Whether it is one block. */
    boolean isContiguous() {
        return strided == null && ranges == null;
    }

    /** Where the first block is in the memory of the other rank. */
    long first() {
        return first;
    }

    /** Where the first byte of them all is in the memory of the caller; before any is taken. */
    long lowest() {
        long lowest = local;
        for (int level = 0; strided != null && level < strided.levels(); level++) {
            lowest += Math.min(0, strided.localStride(level)) * (strided.count(level) - 1);
        }
        for (int i = range; ranges != null && i < ranges.count(); i++) {
            lowest = ranges.length(i) > 0 ? Math.min(lowest, ranges.localOffset(i)) : lowest;
        }
        return lowest;
    }

    /** Behind the last byte of them all there; before any is taken. */
    long highest() {
        long highest = local + left;
        for (int level = 0; strided != null && level < strided.levels(); level++) {
            highest += Math.max(0, strided.localStride(level)) * (strided.count(level) - 1);
        }
        for (int i = range; ranges != null && i < ranges.count(); i++) {
            highest = ranges.length(i) > 0 ? Math.max(highest, ranges.localOffset(i) + ranges.length(i)) : highest;
        }
        return highest;
    }

    /** Whether something is left. */
    boolean hasMore() {
        return left > 0;
    }

    /** Where the rest begins in the memory of the other rank. */
    long remote() {
        return remote;
    }

    /** Where the rest begins in the memory of the caller. */
    long local() {
        return local;
    }

    /** Goes on behind the next bytes of a block, at most so many; returns how many these are. */
    long take(long most) {
        long taken = Math.min(left, most);
        remote += taken;
        local += taken;
        left -= taken;
        if (left == 0) {
            advance();
        }
        return taken;
    }

    private void advance() {
        if (strided != null) {
            remote -= strided.blockBytes();
            local -= strided.blockBytes();
            for (int level = 0; level < index.length && left == 0; level++) {
                boolean isLast = ++index[level] == strided.count(level);
                long steps = isLast ? 1 - strided.count(level) : 1;
                remote += steps * strided.remoteStride(level);
                local += steps * strided.localStride(level);
                if (isLast) {
                    index[level] = 0;
                } else {
                    left = strided.blockBytes();
                }
            }
        } else if (ranges != null) {
            while (left == 0 && ++range < ranges.count()) {
                remote = ranges.remoteOffset(range);
                local = ranges.localOffset(range);
                left = ranges.length(range);
            }
        }
    }

    /**
     * Whether no two blocks share a byte where they are written: then their order does not matter. False also when that
     * cannot be told at once.
     *
     * @param remotely in the memory of the other rank; otherwise in that of the caller
     */
    boolean areApart(boolean remotely) {
        if (strided != null) {
            long extent = strided.blockBytes();
            for (int level = 0; level < strided.levels(); level++) {
                long stride = Math.abs(remotely ? strided.remoteStride(level) : strided.localStride(level));
                long steps = strided.count(level) - 1;
                if (steps > 0 && stride < extent) {
                    return false;
                }
                extent += Math.max(0, steps) * stride;
            }
        } else if (ranges != null) {
            long end = 0;
            for (int i = 0; i < ranges.count(); i++) {
                long begin = remotely ? ranges.remoteOffset(i) : ranges.localOffset(i);
                if (begin < end && ranges.length(i) > 0) {
                    return false;
                }
                end = ranges.length(i) > 0 ? begin + ranges.length(i) : end;
            }
        }
        return true;
    }
}
