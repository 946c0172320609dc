package org.tributary.server.execute;

import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.frame.VectorEntry;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.io.Requester;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RequestChecker;
import org.tributary.server.observe.RequestCounts;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AccumulateDecoder;
import org.tributary.wire.codec.AccumulateStridedDecoder;
import org.tributary.wire.codec.AccumulateVectorDecoder;
import org.tributary.wire.codec.AtomicDecoder;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.FenceDecoder;
import org.tributary.wire.codec.GetDecoder;
import org.tributary.wire.codec.GetStridedDecoder;
import org.tributary.wire.codec.GetVectorDecoder;
import org.tributary.wire.codec.NotifyDecoder;
import org.tributary.wire.codec.PutDecoder;
import org.tributary.wire.codec.PutStridedDecoder;
import org.tributary.wire.codec.PutVectorDecoder;
import org.tributary.wire.codec.ScaleDecoder;
import org.tributary.wire.codec.SignalDecoder;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.StridedRegion;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SharedWord;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.status.ServerOperation;

/**
 * Executes the one-sided requests of one connection in the node's segments. Requests are executed in the order in which
 * they arrive, which is what gives one rank's operations on one target their order. Owned by the event loop.
 */
public final class RequestExecutor {
    private final PutDecoder put = new PutDecoder();
    private final PutStridedDecoder putStrided = new PutStridedDecoder();
    private final PutVectorDecoder putVector = new PutVectorDecoder();
    private final AccumulateDecoder accumulate = new AccumulateDecoder();
    private final AccumulateStridedDecoder accumulateStrided = new AccumulateStridedDecoder();
    private final AccumulateVectorDecoder accumulateVector = new AccumulateVectorDecoder();
    private final GetDecoder get = new GetDecoder();
    private final GetStridedDecoder getStrided = new GetStridedDecoder();
    private final GetVectorDecoder getVector = new GetVectorDecoder();
    private final SignalDecoder signal = new SignalDecoder();
    private final NotifyDecoder notify = new NotifyDecoder();
    private final AtomicDecoder atomic = new AtomicDecoder();
    private final StridedRegion source = new StridedRegion();
    private final NodeMemory memory;
    private final RequestCounts counts;
    private final Requester requester;
    private final int maxPayload;
    private final RequestChecker checker;
    private final ReplyWriter replies;
    private final PayloadSink sink;
    private final Completions completions;
    private long executed;
    private boolean ackWanted;
    private int flagsAfterPayload;
    private long windowAfterPayload;
    private int rankAfterPayload;
    private long refusedSegment;
    private int refusedRank;

    public RequestExecutor(NodeMemory memory, RequestCounts counts, Accumulator accumulator, ReplyWriter replies,
        Completions completions, Requester requester, int maxPayload) {
        this.memory = memory;
        this.counts = counts;
        this.completions = completions;
        this.requester = requester;
        this.maxPayload = maxPayload;
        this.checker = new RequestChecker(memory.segments());
        this.replies = replies;
        this.sink = new PayloadSink(accumulator, checker, this::refuseRange, replies.loop());
    }

    public RequestChecker checker() {
        return checker;
    }

    public PayloadSink sink() {
        return sink;
    }

    Completions completions() {
        return completions;
    }

    /** The payload of the request at hand is complete. */
    public void payloadDone() {
        sink.end();
        executed++;
        flags(flagsAfterPayload);
        completions.run(flagsAfterPayload, windowAfterPayload, rankAfterPayload);
        flagsAfterPayload = 0;
    }

    /** A one-way request that is executed elsewhere is done. */
    public void oneWayDone(int flags) {
        flags(flags);
        executed++;
    }

    /** Answers with the cumulative acknowledgement that requests at hand have asked for. */
    public void acknowledge() {
        if (takeAckWanted()) {
            replies.ack(executed);
        }
    }

    /** Whether requests at hand have asked for an acknowledgement; asked once. */
    public boolean takeAckWanted() {
        boolean wanted = ackWanted;
        ackWanted = false;
        return wanted;
    }

    public void close() {
        sink.end();
    }

    /**
     * Executes the request whose fixed part lies at {@code at}; its payload, if it has one, goes to {@link #sink()}.
     *
     * @param at            where the block of the message begins
     * @param blockLength   length of the block as sent
     * @param payloadLength bytes that follow the fixed part
     * @return false when the message is none of those executed here
     */
    public boolean execute(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength,
        int version, int payloadLength) {
        switch (template) {
            case PutDecoder.TEMPLATE_ID -> put(put.wrap(buffer, at, blockLength, version), payloadLength);
            case PutVectorDecoder.TEMPLATE_ID ->
                putVector(putVector.wrap(buffer, at, blockLength, version), payloadLength);
            case PutStridedDecoder.TEMPLATE_ID ->
                putStrided(putStrided.wrap(buffer, at, blockLength, version), payloadLength);
            case GetDecoder.TEMPLATE_ID -> get(get.wrap(buffer, at, blockLength, version));
            case GetStridedDecoder.TEMPLATE_ID -> getStrided(getStrided.wrap(buffer, at, blockLength, version));
            case GetVectorDecoder.TEMPLATE_ID -> getVector(getVector.wrap(buffer, at, blockLength, version), memory,
                at + blockLength, payloadLength);
            case AtomicDecoder.TEMPLATE_ID -> atomic(atomic.wrap(buffer, at, blockLength, version));
            case AccumulateDecoder.TEMPLATE_ID ->
                accumulate(accumulate.wrap(buffer, at, blockLength, version), payloadLength);
            case AccumulateStridedDecoder.TEMPLATE_ID ->
                accumulateStrided(accumulateStrided.wrap(buffer, at, blockLength, version), payloadLength);
            case AccumulateVectorDecoder.TEMPLATE_ID ->
                accumulateVector(accumulateVector.wrap(buffer, at, blockLength, version), payloadLength);
            case SignalDecoder.TEMPLATE_ID -> signal(signal.wrap(buffer, at, blockLength, version));
            case NotifyDecoder.TEMPLATE_ID -> notify(notify.wrap(buffer, at, blockLength, version));
            case FenceDecoder.TEMPLATE_ID -> {
                ackWanted = true;
                counts.executed(ServerOperation.FENCE, 0);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void put(PutDecoder request, int length) {
        payloadFlags(request.flags(), request.windowId(), request.rank());
        long offset = request.targetOffset();
        int rank = request.rank();
        if (checker.range(request.segmentId(), rank, offset, length)) {
            sink.region().begin(checker.segment().part(rank), offset, length);
            sink.copy(checker.segment(), length);
            count(ServerOperation.PUT, rank, length);
        } else {
            refusePayload(rank, request.segmentId(), offset, length);
        }
    }

    private void putStrided(PutStridedDecoder request, int length) {
        payloadFlags(request.flags(), request.windowId(), request.rank());
        int rank = request.rank();
        if (!checker.target(request.segmentId(), rank)) {
            refusePayload(rank, request.segmentId(), request.targetOffset(), length);
            return;
        }
        StridedRegion region = sink.region().begin(checker.segment().part(rank), request.targetOffset(),
            request.blockLengthInBytes());
        boolean shaped = isShaped(region);
        for (PutStridedDecoder.LevelsDecoder level : request.levels()) {
            shaped = shaped && addLevel(region, level.stride(), level.extent());
        }
        if (shaped && holds(region, length) && checker.region(region, rank)) {
            sink.copy(checker.segment(), length);
            count(ServerOperation.PUT_STRIDED, rank, length);
        } else {
            refusePayload(rank, request.segmentId(), request.targetOffset(), length);
        }
    }

    private void putVector(PutVectorDecoder request, int length) {
        payloadFlags(request.flags(), request.windowId(), request.rank());
        refusedSegment = request.segmentId();
        refusedRank = request.rank();
        if (checker.target(request.segmentId(), request.rank())) {
            sink.copyVector(checker.segment(), request.rank(), length);
            count(ServerOperation.PUT_VECTOR, request.rank(), length);
        } else {
            refusePayload(request.rank(), request.segmentId(), 0, length);
        }
    }

    private void accumulate(AccumulateDecoder request, int length) {
        payloadFlags(request.flags(), request.windowId(), request.rank());
        long offset = request.targetOffset();
        int rank = request.rank();
        ElementType type = ElementType.of(request.elementType());
        ReduceOp op = ReduceOp.of(request.reduction());
        if (checker.range(request.segmentId(), rank, offset, length) && checker.elements(type, offset, length)
            && checker.reduction(op, type)) {
            ScaleDecoder scale = request.scale();
            sink.region().begin(checker.segment().part(rank), offset, length);
            sink.accumulate(op, type, scale.re(), scale.im(), checker.segment(), rank, length, false);
            count(ServerOperation.ACCUMULATE, rank, length);
        } else {
            refusePayload(rank, request.segmentId(), offset, length);
        }
    }

    private void accumulateStrided(AccumulateStridedDecoder request, int length) {
        payloadFlags(request.flags(), request.windowId(), request.rank());
        int rank = request.rank();
        if (!checker.target(request.segmentId(), rank)) {
            refusePayload(rank, request.segmentId(), request.targetOffset(), length);
            return;
        }
        ElementType type = ElementType.of(request.elementType());
        ReduceOp op = ReduceOp.of(request.reduction());
        ScaleDecoder scale = request.scale();
        long re = scale.re();
        long im = scale.im();
        StridedRegion region = sink.region().begin(checker.segment().part(rank), request.targetOffset(),
            request.blockLengthInBytes());
        boolean shaped = isShaped(region)
            && checker.elements(type, request.targetOffset(), request.blockLengthInBytes())
            && checker.reduction(op, type);
        for (AccumulateStridedDecoder.LevelsDecoder level : request.levels()) {
            shaped = shaped && (level.extent() == 1 || checker.aligned(level.stride(), type.componentBytes()))
                && addLevel(region, level.stride(), level.extent());
        }
        if (shaped && holds(region, length) && checker.region(region, rank)) {
            sink.accumulate(op, type, re, im, checker.segment(), rank, length, false);
            count(ServerOperation.ACCUMULATE_STRIDED, rank, length);
        } else {
            refusePayload(rank, request.segmentId(), request.targetOffset(), length);
        }
    }

    private void accumulateVector(AccumulateVectorDecoder request, int length) {
        payloadFlags(request.flags(), request.windowId(), request.rank());
        refusedSegment = request.segmentId();
        refusedRank = request.rank();
        ElementType type = ElementType.of(request.elementType());
        ReduceOp op = ReduceOp.of(request.reduction());
        if (checker.target(request.segmentId(), request.rank()) && checker.elements(type, 0, 0)
            && checker.reduction(op, type)) {
            ScaleDecoder scale = request.scale();
            sink.accumulate(op, type, scale.re(), scale.im(), checker.segment(), request.rank(), length, true);
            count(ServerOperation.ACCUMULATE_VECTOR, request.rank(), length);
        } else {
            refusePayload(request.rank(), request.segmentId(), 0, length);
        }
    }

    private boolean isShaped(StridedRegion region) {
        return region.remaining() >= 0 || checker.fail(ErrorCode.BAD_REQUEST, 0, "negative block length");
    }

    private boolean addLevel(StridedRegion region, long stride, long count) {
        try {
            region.level(stride, count);
            return true;
        } catch (ArithmeticException | IllegalArgumentException e) {
            return checker.fail(ErrorCode.BAD_REQUEST, Frames.MAX_LEVELS, "strided shape: " + e.getMessage());
        }
    }

    private boolean holds(StridedRegion region, long length) {
        return region.remaining() == length || checker.fail(ErrorCode.BAD_REQUEST, region.remaining(),
            "the shape has " + region.remaining() + " bytes");
    }

    private void get(GetDecoder request) {
        long offset = request.targetOffset();
        long length = request.lengthInBytes();
        int rank = request.rank();
        if (checker.range(request.segmentId(), rank, offset, length) && fits(length)) {
            count(ServerOperation.GET, rank, length);
            if (!replies.data(request.requestId(), checker.segment(), rank, offset, (int) length)) {
                completions.runAfterDirect(request.flags(), request.windowId(), rank);
                return;
            }
        } else {
            refuse(request.requestId(), rank, request.segmentId(), offset, length);
        }
        completions.run(request.flags(), request.windowId(), rank);
    }

    private void getStrided(GetStridedDecoder request) {
        int rank = request.rank();
        boolean shaped = checker.target(request.segmentId(), rank);
        if (shaped) {
            source.begin(checker.segment().part(rank), request.targetOffset(), request.blockLengthInBytes());
            shaped = isShaped(source);
            for (GetStridedDecoder.LevelsDecoder level : request.levels()) {
                shaped = shaped && addLevel(source, level.stride(), level.extent());
            }
            shaped = shaped && checker.region(source, rank) && fits(source.remaining());
        }
        if (shaped) {
            count(ServerOperation.GET_STRIDED, rank, source.remaining());
            replies.beginData(request.requestId(), (int) source.remaining());
            replies.append(source);
            source.release();
        } else {
            refuse(request.requestId(), rank, request.segmentId(), request.targetOffset(),
                request.blockLengthInBytes());
        }
        completions.run(request.flags(), request.windowId(), rank);
    }

    private void getVector(GetVectorDecoder request, MemorySegment memory, int entries, int entriesLength) {
        gatherVector(request, memory, entries, entriesLength);
        completions.run(request.flags(), request.windowId(), request.rank());
    }

    private void gatherVector(GetVectorDecoder request, MemorySegment memory, int entries, int entriesLength) {
        int rank = request.rank();
        if (entriesLength % Frames.VECTOR_ENTRY_BYTES != 0) {
            throw new MalformedFrameException("a list of " + entriesLength + " bytes is no whole number of ranges");
        }
        if (!checker.target(request.segmentId(), rank)) {
            refuse(request.requestId(), rank, request.segmentId(), 0, 0);
            return;
        }
        long total = 0;
        for (int at = entries; at < entries + entriesLength; at += Frames.VECTOR_ENTRY_BYTES) {
            long offset = VectorEntry.offset(memory, at);
            int length = VectorEntry.length(memory, at);
            total += length;
            if (!checker.withinPart(rank, offset, length) || !fits(total)) {
                refuse(request.requestId(), rank, request.segmentId(), offset, length);
                return;
            }
        }
        replies.beginData(request.requestId(), (int) total);
        for (int at = entries; at < entries + entriesLength; at += Frames.VECTOR_ENTRY_BYTES) {
            replies.append(checker.segment().part(rank), VectorEntry.offset(memory, at),
                VectorEntry.length(memory, at));
        }
        count(ServerOperation.GET_VECTOR, rank, total);
    }

    private boolean fits(long length) {
        return length <= maxPayload || checker.fail(ErrorCode.BAD_REQUEST, maxPayload,
            "longer than one message may be");
    }

    private void signal(SignalDecoder request) {
        flags(request.flags());
        long offset = request.targetOffset();
        int rank = request.rank();
        if (isFlag(request.segmentId(), rank, offset)) {
            MemorySegment part = checker.segment().part(rank);
            // Release store or full-fence addition after everything earlier on the connection: flag seen, data seen.
            switch (request.op()) {
                case ADD -> SharedWord.getAndAddLong(part, offset, request.value());
                case SET -> SharedWord.setLongRelease(part, offset, request.value());
                case NULL_VAL -> throw new MalformedFrameException("signal without operation");
            }
            memory.ring(rank);
            count(ServerOperation.SIGNAL, rank, Long.BYTES);
        } else {
            refuse(Frames.NO_REQUEST, rank, request.segmentId(), offset, Long.BYTES);
        }
        executed++;
    }

    /** A word of the program's, or one of the counts of a window. */
    private boolean isFlag(long segmentId, int rank, long offset) {
        NodeSegment segment = memory.segments().find(segmentId);
        SegmentKind kind = segment == null ? SegmentKind.DATA : segment.kind();
        if (kind == SegmentKind.WINDOW && offset == WindowLayout.LOCK) {
            return checker.fail(ErrorCode.BAD_REQUEST, offset, "this word is a lock");
        }
        return checker.target(segmentId, rank, kind == SegmentKind.WINDOW ? kind : SegmentKind.DATA)
            && checker.withinPart(rank, offset, Long.BYTES) && checker.aligned(offset, Long.BYTES);
    }

    private void notify(NotifyDecoder request) {
        flags(request.flags());
        if (memory.notify(request.rank(), requester.number(), checker)) {
            count(ServerOperation.NOTIFY, request.rank(), 0);
        } else {
            refuse(Frames.NO_REQUEST, request.rank(), 0, 0, 0);
        }
        executed++;
    }

    private void atomic(AtomicDecoder request) {
        long offset = request.targetOffset();
        int rank = request.rank();
        int width = request.width();
        boolean known = width == Integer.BYTES || width == Long.BYTES
            || checker.fail(ErrorCode.BAD_REQUEST, Long.BYTES, "a word has 4 or 8 bytes, not " + width);
        if (known && checker.range(request.segmentId(), rank, offset, width) && checker.aligned(offset, width)) {
            MemorySegment part = checker.segment().part(rank);
            long old = width == Long.BYTES ? atomicLong(part, offset, request) : atomicInt(part, offset, request);
            replies.value(request.requestId(), old);
            count(ServerOperation.ATOMIC, rank, width);
        } else {
            refuse(request.requestId(), rank, request.segmentId(), offset, width);
        }
    }

    private static long atomicLong(MemorySegment part, long offset, AtomicDecoder request) {
        return switch (request.op()) {
            case FETCH_AND_ADD -> SharedWord.getAndAddLong(part, offset, request.operand());
            case SWAP -> SharedWord.getAndSetLong(part, offset, request.operand());
            case COMPARE_AND_SWAP ->
                SharedWord.compareAndExchangeLong(part, offset, request.expected(), request.operand());
            case NULL_VAL -> throw new MalformedFrameException("atomic without operation");
        };
    }

    private static long atomicInt(MemorySegment part, long offset, AtomicDecoder request) {
        int operand = (int) request.operand();
        return switch (request.op()) {
            case FETCH_AND_ADD -> SharedWord.getAndAdd(part, offset, operand);
            case SWAP -> SharedWord.getAndSet(part, offset, operand);
            case COMPARE_AND_SWAP ->
                SharedWord.compareAndExchange(part, offset, (int) request.expected(), operand);
            case NULL_VAL -> throw new MalformedFrameException("atomic without operation");
        };
    }

    private void flags(int flags) {
        if ((flags & Frames.FLAG_ACK) != 0) {
            ackWanted = true;
        }
    }

    /** A request with payload is executed, and can be acknowledged and followed, when the last of it has come. */
    private void payloadFlags(int flags, long windowId, int rank) {
        flagsAfterPayload = flags;
        windowAfterPayload = windowId;
        rankAfterPayload = rank;
    }

    private void count(ServerOperation operation, int rank, long bytes) {
        counts.executed(operation, requester.rankOrNone(), rank, bytes);
    }

    private void refusePayload(int rank, long segmentId, long offset, long length) {
        refuse(Frames.NO_REQUEST, rank, segmentId, offset, length);
        sink.discard(length);
    }

    private void refuse(long requestId, int rank, long segmentId, long offset, long length) {
        counts.rejected();
        replies.error(requestId, checker.code(), rank, segmentId, offset, length, checker.bound(), checker.detail());
    }

    /** A range of the vector message at hand. */
    private void refuseRange(long offset, long length) {
        refuse(Frames.NO_REQUEST, refusedRank, refusedSegment, offset, length);
    }
}
