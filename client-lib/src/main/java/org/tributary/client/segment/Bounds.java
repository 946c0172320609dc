package org.tributary.client.segment;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.shape.Buffers;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.RegionPair;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Shape;
import org.tributary.client.shape.Strided;
import org.tributary.wire.shape.StridedRegion;

/** Where the parts of an allocation end, and what operations may name of them. Any thread. */
final class Bounds {
    private final long id;
    private final Members members;
    private final PartSizes sizes;
    private final int rankCount;

    Bounds(long id, Members members, PartSizes sizes, int rankCount) {
        this.id = id;
        this.members = members;
        this.sizes = sizes;
        this.rankCount = rankCount;
    }

    /** Bytes of a rank's part. */
    long of(int rank) {
        int member = members.groupRank(rank);
        if (member < 0) {
            throw new InvalidAddressException("rank has no part of this memory", rank, id, 0, 0, rankCount);
        }
        return sizes.of(member);
    }

    void check(int rank, long offset, long length) {
        long limit = of(rank);
        if (offset < 0 || length < 0 || offset > limit - length) {
            throw new InvalidAddressException("outside the part", rank, id, offset, length, limit);
        }
    }

    void checkWord(int rank, long offset, int width) {
        check(rank, offset, width);
        checkAligned(rank, offset, width, width);
    }

    private void checkAligned(int rank, long offset, long length, int alignment) {
        if ((offset & alignment - 1) != 0) {
            throw new InvalidAddressException("not aligned", rank, id, offset, length, alignment);
        }
    }

    /** Whether the operation can be executed; with a {@code scale}, on whole elements. */
    void check(int rank, long offset, MemorySegment buffer, long bufferOffset, long length, Shape shape, Scale scale) {
        if (shape instanceof Strided strided) {
            checkStrided(rank, offset, buffer, bufferOffset, strided, scale);
        } else if (shape instanceof Ranges ranges) {
            checkRanges(rank, buffer, ranges, scale);
        } else {
            checkContiguous(rank, offset, length, scale);
            Buffers.checkSource(buffer, bufferOffset, length);
        }
    }

    /** Whether {@code length} bytes are there, and are whole elements unless {@code scale} is null. */
    void checkContiguous(int rank, long offset, long length, Scale scale) {
        check(rank, offset, length);
        if (scale != null) {
            checkAligned(rank, offset, length, scale.type().componentBytes());
            if (length % scale.type().sizeInBytes() != 0) {
                throw new InvalidAddressException("not a whole number of elements", rank, id, offset, length,
                    scale.type().sizeInBytes());
            }
        }
    }

    private void checkStrided(int rank, long offset, MemorySegment buffer, long bufferOffset, Strided shape,
        Scale scale) {
        check(rank, Math.max(offset, 0), 0);
        Buffers.checkSource(buffer, 0, 0);
        if (scale != null) {
            checkAligned(rank, offset, shape.blockBytes(), scale.type().componentBytes());
            if (!shape.isAligned(scale.type().sizeInBytes(), scale.type().componentBytes())) {
                throw new InvalidAddressException("blocks are no whole elements, or strides are not aligned", rank,
                    id, offset, shape.blockBytes(), scale.type().sizeInBytes());
            }
        }
        if (shape.bytes() == 0) {
            return;
        }
        StridedRegion region = RegionPair.ofThread().remote();
        shape.addRemote(region.begin(MemorySegment.NULL, offset, shape.blockBytes()), shape.levels());
        check(rank, region.low(), region.high() - region.low());
        shape.addLocal(region.begin(MemorySegment.NULL, bufferOffset, shape.blockBytes()), shape.levels());
        Objects.checkFromToIndex(region.low(), region.high(), buffer.byteSize());
    }

    private void checkRanges(int rank, MemorySegment buffer, Ranges ranges, Scale scale) {
        Buffers.checkSource(buffer, 0, 0);
        check(rank, 0, 0);
        for (int range = 0; range < ranges.count(); range++) {
            checkContiguous(rank, ranges.remoteOffset(range), ranges.length(range), scale);
            Objects.checkFromIndexSize(ranges.localOffset(range), ranges.length(range), buffer.byteSize());
        }
    }
}
