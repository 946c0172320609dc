package org.tributary.client.window;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.tributary.client.connection.PendingReply;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.remote.Handle;
import org.tributary.client.remote.RemoteMemory;
import org.tributary.client.segment.SegmentAccess;
import org.tributary.client.shape.Buffers;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Shape;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.TraceOperation;

/**
 * One operation on a window, as it is issued or waits in a queue: the memory, the origin's buffer, and what to do.
 * Filled in and used again. Not thread-safe.
 */
final class RmaOperation {
    enum Kind {
        PUT,
        GET,
        ACCUMULATE,
        /** Accumulate that returns what was there. */
        GET_ACCUMULATE,
        /** Compare and swap of one element; the buffer holds the expected and the new one. */
        COMPARE_AND_SWAP;

        /** Whether it can change the target's memory. */
        boolean writes() {
            return this != GET;
        }
    }

    Kind kind;
    SegmentAccess memory;
    int rank;
    long offset;
    MemorySegment buffer;
    long bufferOffset;
    long length;
    /** Null when it is contiguous. */
    Shape shape;
    Scale scale;
    MemorySegment result;
    long resultOffset;
    Handle handle;

    /** Has what was there before go to {@code target}. */
    RmaOperation returning(MemorySegment target, long targetOffset) {
        result = target;
        resultOffset = targetOffset;
        return this;
    }

    /** Gives the operation a shape, which has its length; offsets of ranges are those in the memory's part. */
    RmaOperation shaped(Shape with) {
        shape = with;
        length = with.bytes();
        return this;
    }

    /** With the handle that waits for this operation alone, or null. */
    RmaOperation withHandle(Handle own) {
        handle = own;
        return this;
    }

    /** Becomes a contiguous operation on {@code bytes} bytes; {@code by} is null for puts and gets. */
    RmaOperation begin(Kind what, SegmentAccess where, int targetRank, long targetOffset, MemorySegment local,
        long localOffset, long bytes, Scale by) {
        kind = what;
        memory = where;
        rank = targetRank;
        offset = targetOffset;
        buffer = local;
        bufferOffset = localOffset;
        length = bytes;
        shape = null;
        scale = by;
        result = null;
        handle = null;
        return this;
    }

    RmaOperation set(RmaOperation other) {
        begin(other.kind, other.memory, other.rank, other.offset, other.buffer, other.bufferOffset, other.length,
            other.scale);
        shape = other.shape;
        result = other.result;
        resultOffset = other.resultOffset;
        handle = other.handle;
        return this;
    }

    /** Lets go of the buffers. */
    void release() {
        buffer = null;
        result = null;
        shape = null;
        handle = null;
    }

    Kind kind() {
        return kind;
    }

    int rank() {
        return rank;
    }

    /** Bytes that are transferred. */
    long length() {
        return length;
    }

    /** Where it begins in the target's part. */
    long offset() {
        return offset;
    }

    SegmentAccess memory() {
        return memory;
    }

    /** How it combines elements, or null. */
    ReduceOp op() {
        return scale == null ? null : scale.op();
    }

    /** Type of its elements, or null when it is a plain put or get. */
    ElementType type() {
        return scale == null ? null : scale.type();
    }

    /** Every contiguous piece of the target's part that it touches. */
    void forEachPiece(Shape.BlockAction action) {
        if (shape == null) {
            action.at(offset, length);
        } else {
            shape.forEachRemoteBlock(offset, action);
        }
    }

    boolean isContiguous() {
        return shape == null;
    }

    boolean returnsData() {
        return kind == Kind.GET || kind == Kind.GET_ACCUMULATE || kind == Kind.COMPARE_AND_SWAP;
    }

    /** How traces name it. */
    TraceOperation traced() {
        return switch (kind) {
            case PUT -> TraceOperation.PUT;
            case GET -> TraceOperation.GET;
            case ACCUMULATE -> TraceOperation.ACCUMULATE;
            default -> TraceOperation.GET_ACCUMULATE;
        };
    }

    /** Whether it becomes part of a message that others can join. */
    boolean joinsOthers() {
        return (kind == Kind.PUT || kind == Kind.ACCUMULATE) && isContiguous()
            && length <= RemoteMemory.MAX_MERGED_BYTES;
    }

    /**
     * Checks address, alignment and buffers, so that it cannot be refused any more when it is issued later.
     *
     * @throws org.tributary.client.error.InvalidAddressException when it can never be executed
     */
    void check() {
        memory.check(rank, offset, buffer, bufferOffset, length, shape, scale);
        if (kind == Kind.COMPARE_AND_SWAP) {
            Buffers.checkSource(buffer, bufferOffset, 2 * length);
        }
        if (kind == Kind.GET) {
            Buffers.checkTarget(buffer, 0, 0);
        } else if (result != null) {
            Buffers.checkTarget(result, resultOffset, length);
        }
    }

    /** Executes it when its target is on this node, sends it otherwise. */
    void dispatch(Handle waited) {
        switch (kind) {
            case PUT, ACCUMULATE -> memory.update(waited, rank, offset, buffer, bufferOffset, contiguousBytes(), shape,
                scale);
            case GET -> memory.fetch(waited, rank, offset, buffer, bufferOffset, contiguousBytes(), shape);
            case GET_ACCUMULATE, COMPARE_AND_SWAP -> memory.getAccumulate(waited, rank, offset, scale,
                kind == Kind.GET_ACCUMULATE ? scale.op().code() : ReduceCode.COMPARE_AND_SWAP, buffer, bufferOffset,
                length, result, resultOffset);
        }
    }

    /** Puts it by the network adapter, if that can; see {@link SegmentAccess#putCounted}. */
    int dispatchCounted(Handle waited, long window) {
        return kind == Kind.PUT ? memory.putCounted(waited, rank, offset, buffer, bufferOffset, contiguousBytes(),
            shape, window) : 0;
    }

    private long contiguousBytes() {
        return isContiguous() ? length : 0;
    }

    /** Whether one message carries it, so that a completion can be part of that message. */
    boolean isOneMessage(int maxPayload) {
        return switch (kind) {
            case PUT, ACCUMULATE -> !(shape instanceof Ranges) && length <= maxPayload
                && (scale == null || length <= maxPayload - maxPayload % scale.type().sizeInBytes());
            case GET -> !(shape instanceof Ranges) && length <= (shape == null ? maxPayload
                : Math.min(RemoteMemory.MAX_SHAPED_GET, maxPayload));
            case GET_ACCUMULATE, COMPARE_AND_SWAP -> length <= Frames.MAX_HELD_PAYLOAD;
        };
    }

    /** Encodes it as a request that locks, executes and unlocks. */
    void encodeLocked(ServerLink link, PendingReply reply, long window, LockMode mode) throws IOException {
        switch (kind) {
            case PUT, ACCUMULATE -> link.writer().lockedPut(reply, window, mode, memory.id(), rank, offset, scale,
                buffer, bufferOffset, (int) length);
            case GET -> {
                reply.destination().begin(buffer, bufferOffset, length);
                link.writer().lockedGet(reply, window, mode, memory.id(), rank, offset, length);
            }
            default -> throw new IllegalStateException(kind + " does not travel with a lock request");
        }
    }
}
