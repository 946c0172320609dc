package org.tributary.server.execute;

import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.io.Requester;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RequestChecker;
import org.tributary.server.observe.RequestCounts;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.GetAccumulateDecoder;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.status.ServerOperation;

/**
 * Executes the requests of one connection that change elements and return what was there before. Their payload is short
 * and held until it is complete. Owned by the event loop of the connection.
 */
public final class FetchRequests {
    private final GetAccumulateDecoder getAccumulate = new GetAccumulateDecoder();
    private final RequestCounts counts;
    private final ReplyWriter replies;
    private final Requester requester;
    private final Accumulator accumulator;
    private final PayloadSink sink;
    private final RequestChecker checker;
    private final Completions completions;
    private final FetchRequest fetch = new FetchRequest();
    private MemorySegment before = MemorySegment.NULL;
    private boolean isHolding;

    public FetchRequests(RequestCounts counts, ReplyWriter replies, Requester requester, RequestExecutor executor,
        Accumulator accumulator) {
        this.counts = counts;
        this.replies = replies;
        this.requester = requester;
        this.accumulator = accumulator;
        this.sink = executor.sink();
        this.checker = executor.checker();
        this.completions = executor.completions();
    }

    /** Begins to hold the payload of a request; false when it is none of those executed here. */
    public boolean execute(UnsafeBuffer buffer, int at, int template, int blockLength, int version, int payloadLength) {
        if (template != GetAccumulateDecoder.TEMPLATE_ID) {
            return false;
        }
        fetch.read(getAccumulate.wrap(buffer, at, blockLength, version), payloadLength);
        isHolding = true;
        sink.holdIfShort(payloadLength);
        return true;
    }

    /** Whether the payload that comes is that of a request here. */
    public boolean isHolding() {
        return isHolding;
    }

    /**
     * The payload is complete: executes the request.
     *
     * @return false when that has to wait for a lock of accumulates; to be called again then
     */
    public boolean payloadDone() {
        sink.end();
        isHolding = !fetch();
        return !isHolding;
    }

    /** A get-accumulate whose payload comes. */
    private static final class FetchRequest {
        private long requestId;
        private long segmentId;
        private long offset;
        private int length;
        private int rank;
        private int flags;
        private long windowId;
        private ElementType type;
        private ReduceCode code;
        /** Bytes that have been read and changed so far. */
        private int done;

        void read(GetAccumulateDecoder request, int payloadLength) {
            requestId = request.requestId();
            segmentId = request.segmentId();
            offset = request.targetOffset();
            rank = request.rank();
            flags = request.flags();
            windowId = request.windowId();
            type = ElementType.of(request.elementType());
            code = request.reduction();
            length = payloadLength;
            done = 0;
        }

        /** Bytes that are read and changed. */
        int targetBytes() {
            return code == ReduceCode.COMPARE_AND_SWAP ? length / 2 : length;
        }
    }

    /** Executes or refuses the request; false when it has to wait for the rest. */
    private boolean fetch() {
        int bytes = fetch.targetBytes();
        if (PayloadSink.isShort(fetch.length, checker)
            && checker.range(fetch.segmentId, fetch.rank, fetch.offset, bytes)
            && checker.elements(fetch.type, fetch.offset, fetch.length) && isFetch(bytes)) {
            fetchInto(checker.segment(), bytes);
            if (fetch.done < bytes) {
                return false;
            }
            replies.beginData(fetch.requestId, bytes);
            replies.append(before, 0, bytes);
            counts.executed(ServerOperation.GET_ACCUMULATE, requester.rankOrNone(), fetch.rank, fetch.length);
        } else {
            counts.rejected();
            replies.error(fetch.requestId, checker.code(), fetch.rank, fetch.segmentId, fetch.offset, bytes,
                checker.bound(), checker.detail());
        }
        completions.run(fetch.flags, fetch.windowId, fetch.rank);
        return true;
    }

    private boolean isFetch(int bytes) {
        if (fetch.code != ReduceCode.COMPARE_AND_SWAP) {
            return checker.reduction(ReduceOp.of(fetch.code), fetch.type);
        }
        return bytes == fetch.type.sizeInBytes() || checker.fail(ErrorCode.BAD_REQUEST,
            2L * fetch.type.sizeInBytes(), "compare-and-swap takes two elements: the expected and the new one");
    }

    private void fetchInto(NodeSegment segment, int bytes) {
        if (before.byteSize() == 0) {
            before = MemorySegment.ofArray(new long[Frames.MAX_HELD_PAYLOAD / Long.BYTES]);
        }
        MemorySegment part = segment.part(fetch.rank);
        long fileOffset = segment.fileOffset(fetch.rank);
        int done = fetch.done;
        if (fetch.code != ReduceCode.COMPARE_AND_SWAP) {
            fetch.done += (int) accumulator.tryFetchAndCombine(ReduceOp.of(fetch.code), fetch.type, sink.held(), done,
                bytes - done, before, done, part, fetch.offset + done, segment.id(), fileOffset);
        } else if (accumulator.tryCompareAndSwap(fetch.type, sink.held(), 0, before, 0, part, fetch.offset,
            segment.id(), fileOffset)) {
            fetch.done = bytes;
        }
    }
}
