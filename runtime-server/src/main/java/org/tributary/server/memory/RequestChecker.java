package org.tributary.server.memory;

import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.StridedRegion;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.SegmentKind;

/**
 * Checks a request against the segment it names before any memory is touched. A failed check leaves what is wrong in
 * {@link #code()} and {@link #bound()}. Reused for each request; owned by the event loop.
 */
public final class RequestChecker {
    private final SegmentRegistry segments;
    private NodeSegment segment;
    private NodeSegment lastSegment;
    private ErrorCode code;
    private long bound;
    private String detail = "";

    public RequestChecker(SegmentRegistry segments) {
        this.segments = segments;
    }

    public NodeSegment segment() {
        return segment;
    }

    public ErrorCode code() {
        return code;
    }

    /** The limit that was exceeded: the part's length, or the required alignment. */
    public long bound() {
        return bound;
    }

    public String detail() {
        return detail;
    }

    public boolean fail(ErrorCode failure, long limit, String text) {
        code = failure;
        bound = limit;
        detail = text;
        return false;
    }

    /** The program's memory: the segment exists and the rank has a part of it here. */
    public boolean target(long segmentId, int rank) {
        return target(segmentId, rank, SegmentKind.DATA);
    }

    public boolean target(long segmentId, int rank, SegmentKind kind) {
        NodeSegment last = lastSegment;
        NodeSegment found = last != null && last.id() == segmentId && !last.isRemoved() ? last
            : segments.find(segmentId);
        if (found == null) {
            return fail(ErrorCode.SEGMENT_UNKNOWN, 0, "never allocated or already freed");
        }
        lastSegment = found;
        segment = found;
        if (found.kind() != kind) {
            return fail(ErrorCode.BAD_REQUEST, 0, "the segment is of kind " + found.kind());
        }
        return found.length(rank) != NodeSegment.NO_PART
            || fail(ErrorCode.RANK_UNKNOWN, 0, "the rank has no part of this segment on this node");
    }

    /** There is a mutex. */
    public boolean mutex(long segmentId, int rank, long offset) {
        return target(segmentId, rank, SegmentKind.MUTEXES) && withinPart(rank, offset, Long.BYTES)
            && aligned(offset, (int) MutexWord.STRIDE);
    }

    /** As {@link #target}, and the range lies within the part. */
    public boolean range(long segmentId, int rank, long offset, long length) {
        return target(segmentId, rank) && withinPart(rank, offset, length);
    }

    public boolean withinPart(int rank, long offset, long length) {
        long partLength = segment.length(rank);
        return offset >= 0 && length >= 0 && offset <= partLength - length
            || fail(ErrorCode.OUT_OF_BOUNDS, partLength, "");
    }

    /** Everything that the region touches lies within the part. */
    public boolean region(StridedRegion region, int rank) {
        return region.remaining() == 0 || withinPart(rank, region.low(), region.high() - region.low());
    }

    public boolean aligned(long offset, int alignment) {
        return (offset & alignment - 1) == 0 || fail(ErrorCode.MISALIGNED, alignment, "");
    }

    /** Whole elements of a known type, aligned to its components. */
    public boolean elements(ElementType type, long offset, long length) {
        if (type == null) {
            return fail(ErrorCode.BAD_REQUEST, 0, "unknown element type");
        }
        return aligned(offset, type.componentBytes()) && wholeElements(type, length);
    }

    public boolean wholeElements(ElementType type, long length) {
        return length % type.sizeInBytes() == 0
            || fail(ErrorCode.BAD_REQUEST, type.sizeInBytes(), "not a whole number of elements");
    }

    /** An operation that combines such elements; both are known. */
    public boolean reduction(ReduceOp op, ElementType type) {
        if (op == null) {
            return fail(ErrorCode.BAD_REQUEST, 0, "no such accumulate");
        }
        return op.isDefinedFor(type) || fail(ErrorCode.BAD_REQUEST, 0, op + " is not defined for " + type);
    }
}
