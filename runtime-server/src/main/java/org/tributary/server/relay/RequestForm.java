package org.tributary.server.relay;

import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.cooperation.Intake;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AccumulateDecoder;
import org.tributary.wire.codec.AtomicDecoder;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.DataDecoder;
import org.tributary.wire.codec.GetDecoder;
import org.tributary.wire.codec.GetStridedDecoder;
import org.tributary.wire.codec.GetVectorDecoder;
import org.tributary.wire.codec.LockDecoder;
import org.tributary.wire.codec.LockWindowDecoder;
import org.tributary.wire.codec.LockedAccumulateDecoder;
import org.tributary.wire.codec.LockedGetDecoder;
import org.tributary.wire.codec.LockedPutDecoder;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.Templates;
import org.tributary.wire.codec.ValueDecoder;
import org.tributary.wire.shape.ElementType;

/**
 * The properties of a request that forwarding needs: the kind and length of its answer, and the requests with which it
 * could be combined. Reused for each request of a connection; owned by the event loop.
 */
final class RequestForm {
    private static final int VALUE_BYTES = Frames.HEADER_BYTES + ValueDecoder.BLOCK_LENGTH;
    private static final int DATA_BYTES = Frames.HEADER_BYTES + DataDecoder.BLOCK_LENGTH;
    /**
     * The answer may take any time, as it does when the request waits for a lock: nothing is to wait for it, least of
     * all the connection on which the lock's release may come. A request answered under a lock is at most
     * {@link Frames#MAX_HELD_PAYLOAD} long, so that little gathers for a source that takes no answers.
     */
    private static final int ANY_TIME = 0;

    private enum Kind { ONE_WAY, ANSWERED, FETCH_AND_ADD, ACCUMULATE }

    private final AtomicDecoder atomic = new AtomicDecoder();
    private final AccumulateDecoder accumulate = new AccumulateDecoder();
    private final GetDecoder get = new GetDecoder();
    private final GetStridedDecoder getStrided = new GetStridedDecoder();
    private final int maxReply;
    private Kind kind;
    private int flags;
    private long requestId;
    private int replyBytes;
    private long segmentId;
    private int rank;
    private long offset;
    private int width;
    private long operand;
    private ElementType type;
    private int payloadAt;
    private int payloadLength;

    /** For requests whose answers have at most {@code maxReply} bytes. */
    RequestForm(int maxReply) {
        this.maxReply = maxReply;
    }

    boolean wantsAck() {
        return (flags & Frames.FLAG_ACK) != 0;
    }

    /** Reads the fixed part of a request whose block is at {@code at}; {@code payload} bytes follow the fixed part. */
    void read(UnsafeBuffer buffer, int at, int template, int blockLength, int version, int payload) {
        if (Templates.isOneWay(template)) {
            kind = Kind.ONE_WAY;
            flags = buffer.getInt(at + Templates.flagsOffset(template), ByteOrder.LITTLE_ENDIAN);
            if (template == AccumulateDecoder.TEMPLATE_ID) {
                readAccumulate(accumulate.wrap(buffer, at, blockLength, version), blockLength, payload);
            }
            return;
        }
        kind = Kind.ANSWERED;
        flags = 0;
        requestId = buffer.getLong(at, ByteOrder.LITTLE_ENDIAN);
        switch (template) {
            case AtomicDecoder.TEMPLATE_ID -> readAtomic(atomic.wrap(buffer, at, blockLength, version));
            case GetDecoder.TEMPLATE_ID ->
                replyBytes = data(get.wrap(buffer, at, blockLength, version).lengthInBytes());
            case GetStridedDecoder.TEMPLATE_ID ->
                replyBytes = data(bytesOf(getStrided.wrap(buffer, at, blockLength, version)));
            case GetVectorDecoder.TEMPLATE_ID -> replyBytes = data(bytesOf(buffer, at + blockLength, payload));
            case LockDecoder.TEMPLATE_ID, LockWindowDecoder.TEMPLATE_ID, LockedPutDecoder.TEMPLATE_ID,
                LockedAccumulateDecoder.TEMPLATE_ID, LockedGetDecoder.TEMPLATE_ID -> replyBytes = ANY_TIME;
            default -> replyBytes = data(payload);
        }
    }

    private void readAtomic(AtomicDecoder request) {
        replyBytes = VALUE_BYTES;
        width = request.width();
        if (request.op() == AtomicOp.FETCH_AND_ADD && (width == Integer.BYTES || width == Long.BYTES)) {
            kind = Kind.FETCH_AND_ADD;
            segmentId = request.segmentId();
            rank = request.rank();
            offset = request.targetOffset();
            operand = request.operand();
        }
    }

    private void readAccumulate(AccumulateDecoder request, int blockLength, int payload) {
        type = ElementType.of(request.elementType());
        if (type != null && request.reduction() == ReduceCode.SUM && (flags & Frames.THEN_MASK) == 0
            && payload % type.sizeInBytes() == 0) {
            kind = Kind.ACCUMULATE;
            segmentId = request.segmentId();
            rank = request.rank();
            offset = request.targetOffset();
            operand = request.scale().re();
            payloadAt = Frames.REQUESTER_BYTES + Frames.HEADER_BYTES + blockLength;
            payloadLength = payload;
        }
    }

    /** Bytes of an answer with data; a request for more than there may be is answered with an error. */
    private int data(long bytes) {
        return DATA_BYTES + Math.clamp(bytes, 0, maxReply);
    }

    private static long bytesOf(GetStridedDecoder request) {
        long bytes = Math.max(0, request.blockLengthInBytes());
        for (GetStridedDecoder.LevelsDecoder level : request.levels()) {
            long extent = Math.max(0, level.extent());
            bytes = Math.multiplyHigh(bytes, extent) == 0 ? Math.max(0, bytes * extent) : 0;
        }
        return bytes;
    }

    private static long bytesOf(UnsafeBuffer buffer, int entries, int length) {
        long bytes = 0;
        for (int at = entries; at + Frames.VECTOR_ENTRY_BYTES <= entries + length; at += Frames.VECTOR_ENTRY_BYTES) {
            bytes += Math.max(0, buffer.getInt(at + Long.BYTES, ByteOrder.LITTLE_ENDIAN));
        }
        return bytes;
    }

    /** Hands the request, which is complete in its source's ring, to the intake. */
    void passOn(Intake intake, int source, long position, int length, int peer, long nowNs) {
        switch (kind) {
            case ONE_WAY -> intake.forwardOneWay(source, position, length, peer, nowNs);
            case ANSWERED -> intake.forwardRequest(source, position, length, peer, requestId, replyBytes, nowNs);
            case FETCH_AND_ADD -> intake.forwardFetchAndAdd(source, position, length, peer, requestId, segmentId,
                rank, offset, width, operand, nowNs);
            case ACCUMULATE -> intake.forwardAccumulate(source, position, length, peer, payloadAt, payloadLength,
                type, operand, segmentId, rank, offset, nowNs);
        }
    }
}
