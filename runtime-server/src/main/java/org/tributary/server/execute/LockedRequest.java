package org.tributary.server.execute;

import java.lang.foreign.MemorySegment;
import org.tributary.server.io.Replies;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RequestChecker;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.LockedAccumulateDecoder;
import org.tributary.wire.codec.LockedGetDecoder;
import org.tributary.wire.codec.LockedPutDecoder;
import org.tributary.wire.codec.ScaleDecoder;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.status.ServerOperation;

/**
 * A put, accumulate or get that travels with a request for the lock of a window. Reused for all of a connection that
 * find their lock free; one that has to wait is kept, with its payload. Owned by the event loop of the connection until
 * it is complete, by the main one then.
 */
final class LockedRequest {
    /** Operations under the lock. */
    private enum Kind { PUT, ACCUMULATE, GET }

    private Kind kind;
    private long requestId;
    private long windowId;
    private long segmentId;
    private long offset;
    private long length;
    private int rank;
    private LockMode mode;
    private ElementType type;
    private ReduceOp op;
    private long re;
    private long im;
    private MemorySegment payload;
    private boolean isTriedAgain;

    void put(LockedPutDecoder request, int payloadLength) {
        kind = Kind.PUT;
        target(request.requestId(), request.windowId(), request.segmentId(), request.targetOffset(), payloadLength,
            request.rank(), request.mode());
    }

    void accumulate(LockedAccumulateDecoder request, int payloadLength) {
        kind = Kind.ACCUMULATE;
        target(request.requestId(), request.windowId(), request.segmentId(), request.targetOffset(), payloadLength,
            request.rank(), request.mode());
        type = ElementType.of(request.elementType());
        op = ReduceOp.of(request.reduction());
        ScaleDecoder scale = request.scale();
        re = scale.re();
        im = scale.im();
    }

    void get(LockedGetDecoder request) {
        kind = Kind.GET;
        target(request.requestId(), request.windowId(), request.segmentId(), request.targetOffset(),
            request.lengthInBytes(), request.rank(), request.mode());
    }

    private void target(long request, long window, long segment, long targetOffset, long bytes, int targetRank,
        LockMode lockMode) {
        requestId = request;
        windowId = window;
        segmentId = segment;
        offset = targetOffset;
        length = bytes;
        rank = targetRank;
        mode = lockMode;
    }

    /** Where a payload lies when the request is executed. */
    void payload(MemorySegment bytes) {
        payload = bytes;
    }

    /** The same request, with a payload of its own. */
    LockedRequest kept() {
        LockedRequest copy = new LockedRequest();
        copy.kind = kind;
        copy.target(requestId, windowId, segmentId, offset, length, rank, mode);
        copy.type = type;
        copy.op = op;
        copy.re = re;
        copy.im = im;
        if (kind != Kind.GET) {
            copy.payload = MemorySegment.ofArray(new long[Math.toIntExact((length + 7) / 8)]);
            MemorySegment.copy(payload, 0, copy.payload, 0, length);
        }
        return copy;
    }

    long requestId() {
        return requestId;
    }

    long windowId() {
        return windowId;
    }

    long segmentId() {
        return segmentId;
    }

    long offset() {
        return offset;
    }

    long length() {
        return length;
    }

    int rank() {
        return rank;
    }

    LockMode mode() {
        return mode;
    }

    ServerOperation operation() {
        return switch (kind) {
            case PUT -> ServerOperation.LOCKED_PUT;
            case ACCUMULATE -> ServerOperation.LOCKED_ACCUMULATE;
            case GET -> ServerOperation.LOCKED_GET;
        };
    }

    /** Whether it can be executed; the segment is the checker's then. */
    boolean isValid(RequestChecker checker) {
        if (mode == LockMode.NULL_VAL) {
            return checker.fail(ErrorCode.BAD_REQUEST, 0, "no lock mode");
        }
        return checker.range(segmentId, rank, offset, length)
            && (kind != Kind.ACCUMULATE || checker.elements(type, offset, length) && checker.reduction(op, type));
    }

    private boolean accumulates() {
        return kind == Kind.ACCUMULATE && length > 0;
    }

    /** Takes the locks of what it accumulates to, so that it can be executed at once; false when they are not free. */
    boolean prepare(NodeSegment segment, Accumulator accumulator) {
        return !accumulates() || accumulator.tryAcquire(segmentId, segment.fileOffset(rank) + offset, length);
    }

    /** It will be prepared again later; false when that is so already. */
    boolean beginWait() {
        boolean isNew = !isTriedAgain;
        isTriedAgain = true;
        return isNew;
    }

    /** Now is later. */
    void endWait() {
        isTriedAgain = false;
    }

    /** Releases what {@link #prepare} has taken. */
    void release(NodeSegment segment, Accumulator accumulator) {
        if (accumulates()) {
            accumulator.release(segmentId, segment.fileOffset(rank) + offset, length);
        }
    }

    /** Does it, prepared and under the lock of the window, and answers. */
    void execute(NodeSegment segment, Accumulator accumulator, Replies replies) {
        MemorySegment part = segment.part(rank);
        switch (kind) {
            case PUT -> MemorySegment.copy(payload, 0, part, offset, length);
            case ACCUMULATE -> accumulator.combineHeld(op, type, re, im, payload, 0, length, part, offset);
            default -> {
                replies.copy(requestId, part, offset, (int) length);
                return;
            }
        }
        replies.done(requestId);
    }
}
