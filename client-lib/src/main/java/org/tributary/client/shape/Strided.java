package org.tributary.client.shape;

import org.tributary.wire.Frames;
import org.tributary.wire.shape.StridedRegion;

/**
 * Shape of a strided transfer: contiguous blocks of {@code blockBytes}, {@code counts[0]} of them one stride apart,
 * {@code counts[1]} such rows, and so on, up to 8 levels. Strides are in bytes, may be negative, and differ between the
 * local buffer and the remote memory. Immutable and thread-safe; make one and use it often.
 */
public final class Strided implements Shape {
    private final long blockBytes;
    private final long[] counts;
    private final long[] localStrides;
    private final long[] remoteStrides;
    private final long bytes;

    /** A shape; the arrays have one entry a level, innermost first. */
    public Strided(long blockBytes, long[] counts, long[] localStrides, long[] remoteStrides) {
        if (blockBytes < 0 || counts.length != localStrides.length || counts.length != remoteStrides.length
            || counts.length > Frames.MAX_LEVELS) {
            throw new IllegalArgumentException("strided shape with a block of " + blockBytes + " bytes, "
                + counts.length + " counts, " + localStrides.length + " local and " + remoteStrides.length
                + " remote strides; at most " + Frames.MAX_LEVELS + " levels");
        }
        this.blockBytes = blockBytes;
        this.counts = counts.clone();
        this.localStrides = localStrides.clone();
        this.remoteStrides = remoteStrides.clone();
        long total = blockBytes;
        for (long count : counts) {
            if (count < 0) {
                throw new IllegalArgumentException("strided shape with a count of " + count);
            }
            total = Math.multiplyExact(total, count);
        }
        this.bytes = total;
    }

    /** Rows of a matrix. */
    public static Strided rows(long rowBytes, long rows, long localPitch, long remotePitch) {
        return new Strided(rowBytes, new long[] {rows}, new long[] {localPitch}, new long[] {remotePitch});
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public long meanBlockBytes() {
        return bytes == 0 ? 0 : blockBytes;
    }

    /** Relative to the first block: 0, or less with negative strides. */
    @Override
    public long remoteLow() {
        return reach(-1);
    }

    @Override
    public long remoteHigh() {
        return bytes == 0 ? 0 : blockBytes + reach(1);
    }

    private long reach(int sign) {
        long reach = 0;
        for (int level = 0; level < counts.length && bytes > 0; level++) {
            if (Long.signum(remoteStrides[level]) == sign) {
                reach += remoteStrides[level] * (counts[level] - 1);
            }
        }
        return reach;
    }

    @Override
    public void forEachRemoteBlock(long begin, BlockAction action) {
        forEachRemoteBlock(counts.length, begin, action);
    }

    private void forEachRemoteBlock(int levels, long begin, BlockAction action) {
        if (levels == 0) {
            action.at(begin, blockBytes);
            return;
        }
        for (long i = 0; i < counts[levels - 1]; i++) {
            forEachRemoteBlock(levels - 1, begin + i * remoteStrides[levels - 1], action);
        }
    }

    public long blockBytes() {
        return blockBytes;
    }

    public int levels() {
        return counts.length;
    }

    public long count(int level) {
        return counts[level];
    }

    public long remoteStride(int level) {
        return remoteStrides[level];
    }

    public long localStride(int level) {
        return localStrides[level];
    }

    /** Bytes of the first {@code levels} levels. */
    public long bytes(int levels) {
        long total = blockBytes;
        for (int level = 0; level < levels; level++) {
            total *= counts[level];
        }
        return total;
    }

    /** Adds the first levels, with their local strides, to a region begun at a block. */
    public void addLocal(StridedRegion region, int levels) {
        for (int level = 0; level < levels; level++) {
            region.level(localStrides[level], counts[level]);
        }
    }

    /** Adds the first levels, with their remote strides, to a region begun at a block. */
    public void addRemote(StridedRegion region, int levels) {
        for (int level = 0; level < levels; level++) {
            region.level(remoteStrides[level], counts[level]);
        }
    }

    /** Whether whole elements of that size and alignment lie at every block; the stride of a single one is not used. */
    public boolean isAligned(int elementBytes, int alignment) {
        boolean aligned = blockBytes % elementBytes == 0;
        for (int level = 0; level < counts.length; level++) {
            aligned &= counts[level] == 1 || remoteStrides[level] % alignment == 0;
        }
        return aligned;
    }
}
