package org.tributary.server.execute;

import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.io.Requester;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RequestChecker;
import org.tributary.server.memory.WindowLocks;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.GetAccumulateDecoder;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.LockWindowDecoder;
import org.tributary.wire.codec.LockedAccumulateDecoder;
import org.tributary.wire.codec.LockedGetDecoder;
import org.tributary.wire.codec.LockedPutDecoder;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.UnlockWindowDecoder;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.status.ServerOperation;

/**
 * Executes the requests of one connection for the locks of windows, with the operations that travel with them, and
 * those that return what was there before. Their payload is short and held until it is complete. Owned by the event
 * loop.
 */
public final class WindowRequests {
    private final LockWindowDecoder lockWindow = new LockWindowDecoder();
    private final UnlockWindowDecoder unlockWindow = new UnlockWindowDecoder();
    private final LockedPutDecoder lockedPut = new LockedPutDecoder();
    private final LockedAccumulateDecoder lockedAccumulate = new LockedAccumulateDecoder();
    private final LockedGetDecoder lockedGet = new LockedGetDecoder();
    private final GetAccumulateDecoder getAccumulate = new GetAccumulateDecoder();
    private final LockedRequest locked = new LockedRequest();
    private final NodeMemory memory;
    private final ServerMetrics metrics;
    private final ReplyWriter replies;
    private final Requester requester;
    private final RequestExecutor executor;
    private final Accumulator accumulator;
    private final PayloadSink sink;
    private final RequestChecker checker;
    private final Completions completions;
    private final RequestChecker windows;
    private final FetchRequest fetch = new FetchRequest();
    private MemorySegment before = MemorySegment.NULL;
    private Held held = Held.NOTHING;

    private enum Held { NOTHING, LOCKED, FETCH }

    public WindowRequests(NodeMemory memory, ServerMetrics metrics, ReplyWriter replies, Requester requester,
        RequestExecutor executor, Accumulator accumulator) {
        this.memory = memory;
        this.metrics = metrics;
        this.replies = replies;
        this.requester = requester;
        this.executor = executor;
        this.accumulator = accumulator;
        this.sink = executor.sink();
        this.checker = executor.checker();
        this.completions = executor.completions();
        this.windows = completions.windows();
    }

    /** Executes a request, or begins to hold its payload; false when it is none of those executed here. */
    public boolean execute(UnsafeBuffer buffer, int at, int template, int blockLength, int version, int payloadLength) {
        switch (template) {
            case LockWindowDecoder.TEMPLATE_ID -> lock(lockWindow.wrap(buffer, at, blockLength, version));
            case UnlockWindowDecoder.TEMPLATE_ID -> unlock(unlockWindow.wrap(buffer, at, blockLength, version));
            case LockedPutDecoder.TEMPLATE_ID -> {
                onlyRanks(template);
                locked.put(lockedPut.wrap(buffer, at, blockLength, version), payloadLength);
                hold(Held.LOCKED, payloadLength);
            }
            case LockedAccumulateDecoder.TEMPLATE_ID -> {
                onlyRanks(template);
                locked.accumulate(lockedAccumulate.wrap(buffer, at, blockLength, version), payloadLength);
                hold(Held.LOCKED, payloadLength);
            }
            case LockedGetDecoder.TEMPLATE_ID -> {
                onlyRanks(template);
                locked.get(lockedGet.wrap(buffer, at, blockLength, version));
                locked(); // a get takes no lock of accumulates
            }
            case GetAccumulateDecoder.TEMPLATE_ID -> {
                fetch.read(getAccumulate.wrap(buffer, at, blockLength, version), payloadLength);
                hold(Held.FETCH, payloadLength);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** A server's number is that of its node: it holds no locks. */
    private void onlyRanks(int template) {
        if (!requester.isRank()) {
            throw new MalformedFrameException("message " + template + " from a server");
        }
    }

    private void hold(Held what, int payloadLength) {
        held = what;
        if (payloadLength <= Frames.MAX_HELD_PAYLOAD) {
            sink.hold(payloadLength);
        } else {
            sink.discard(payloadLength);
        }
    }

    /** Whether the payload that comes is that of a request here. */
    public boolean isHolding() {
        return held != Held.NOTHING;
    }

    /**
     * The payload is complete: executes the request.
     *
     * @return false when that has to wait for a lock of accumulates; to be called again then
     */
    public boolean payloadDone() {
        sink.end();
        if (held == Held.LOCKED) {
            locked.payload(sink.held());
        }
        if (!(held == Held.LOCKED ? locked() : fetch())) {
            return false;
        }
        held = Held.NOTHING;
        return true;
    }

    private boolean isShort(long length) {
        return length <= Frames.MAX_HELD_PAYLOAD || checker.fail(ErrorCode.BAD_REQUEST, Frames.MAX_HELD_PAYLOAD,
            "longer than requests of this kind may be");
    }

    private void lock(LockWindowDecoder request) {
        onlyRanks(LockWindowDecoder.TEMPLATE_ID);
        long requestId = request.requestId();
        long windowId = request.windowId();
        int home = request.rank();
        LockMode mode = request.mode();
        if (!isLockable(windowId, home, mode)) {
            refuse(windows, requestId, home, windowId, 0, 0);
            return;
        }
        NodeSegment window = windows.segment();
        metrics.executed(ServerOperation.LOCK_WINDOW, requester.number(), home, 0);
        if (request.attempt() != 0) {
            replies.value(requestId, memory.windowLocks().tryLock(window, home, mode, requester.number()) ? 1 : 0);
        } else {
            memory.windowLocks().lock(window, home, new WaitingRank(replies, requester.number(), requestId, windowId,
                home, mode, mode == LockMode.SHARED && request.holdsOther() != 0));
            memory.lockWatch().begin();
        }
    }

    private boolean isLockable(long windowId, int home, LockMode mode) {
        if (mode == LockMode.NULL_VAL) {
            return windows.fail(ErrorCode.BAD_REQUEST, 0, "no lock mode");
        }
        return windows.target(windowId, home, SegmentKind.WINDOW)
            && (!memory.windowLocks().isHeld(windows.segment(), home, requester.number())
                || windows.fail(ErrorCode.ALREADY_HELD, requester.number(),
                    "this rank holds the lock or waits for it"));
    }

    private static void freed(ReplyWriter replies, long requestId, int home, long windowId) {
        replies.error(requestId, ErrorCode.SEGMENT_UNKNOWN, home, windowId, 0, 0, 0,
            "freed while this rank waited for one of its locks");
        replies.flush();
    }

    private record WaitingRank(ReplyWriter replies, int rank, long requestId, long windowId, int home, LockMode mode,
        boolean goesFirst) implements WindowLocks.Waiter {
        @Override
        public void freed() {
            WindowRequests.freed(replies, requestId, home, windowId);
        }

        @Override
        public boolean keepsLock() {
            return true;
        }

        @Override
        public void granted() {
            replies.value(requestId, 1);
            replies.flush();
        }

        @Override
        public void dropped() {
            // Nobody is there to be told.
        }
    }

    private void unlock(UnlockWindowDecoder request) {
        onlyRanks(UnlockWindowDecoder.TEMPLATE_ID);
        int home = request.rank();
        LockMode mode = request.mode();
        boolean known = mode != LockMode.NULL_VAL || windows.fail(ErrorCode.BAD_REQUEST, 0, "no lock mode");
        if (known && windows.target(request.windowId(), home, SegmentKind.WINDOW) && completions.unlock(home, mode)) {
            metrics.executed(ServerOperation.UNLOCK_WINDOW, requester.number(), home, 0);
        } else {
            refuse(windows, Frames.NO_REQUEST, home, request.windowId(), 0, 0);
        }
        executor.oneWayDone(request.flags());
    }

    /** Executes the request, queues it, or refuses it; false when it has to wait before that. */
    private boolean locked() {
        if (!isShort(locked.length()) || !locked.isValid(checker)) {
            refuse(checker, locked.requestId(), locked.rank(), locked.segmentId(), locked.offset(), locked.length());
            return true;
        }
        if (!isLockable(locked.windowId(), locked.rank(), locked.mode())) {
            refuse(windows, locked.requestId(), locked.rank(), locked.windowId(), 0, 0);
            return true;
        }
        NodeSegment window = windows.segment();
        NodeSegment segment = checker.segment();
        if (!locked.prepare(segment, accumulator)) {
            return false;
        }
        metrics.executed(locked.operation(), requester.number(), locked.rank(), locked.length());
        try {
            if (memory.windowLocks().tryEnter(window, locked.rank(), locked.mode(), requester.number())) {
                try {
                    locked.execute(segment, accumulator, replies);
                } finally {
                    memory.windowLocks().release(window, locked.rank(), locked.mode(), requester.number());
                }
                return true;
            }
        } finally {
            locked.release(segment, accumulator);
        }
        segment.pin();
        memory.windowLocks().lock(window, locked.rank(), new WaitingOperation(memory, replies, requester.number(),
            locked.kept(), window, segment, accumulator));
        memory.lockWatch().begin();
        return true;
    }

    /** An operation that waits for its lock; its segment may be freed meanwhile, but not unmapped. */
    private record WaitingOperation(NodeMemory memory, ReplyWriter replies, int rank, LockedRequest request,
        NodeSegment window, NodeSegment segment, Accumulator accumulator) implements WindowLocks.Waiter {
        @Override
        public LockMode mode() {
            return request.mode();
        }

        @Override
        public boolean keepsLock() {
            return false;
        }

        @Override
        public boolean prepare() {
            boolean isPrepared = request.prepare(segment, accumulator);
            if (!isPrepared && request.beginWait()) {
                memory.heldUp().later(() -> {
                    request.endWait();
                    memory.windowLocks().passOn(window, request.rank());
                });
            }
            return isPrepared;
        }

        @Override
        public void postpone() {
            request.release(segment, accumulator);
        }

        @Override
        public void granted() {
            try {
                request.execute(segment, accumulator, replies);
            } finally {
                request.release(segment, accumulator);
                segment.unpin();
            }
            replies.flush();
        }

        @Override
        public void freed() {
            segment.unpin();
            WindowRequests.freed(replies, request.requestId(), request.rank(), request.windowId());
        }

        @Override
        public void dropped() {
            segment.unpin();
        }
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
        if (isShort(fetch.length) && checker.range(fetch.segmentId, fetch.rank, fetch.offset, bytes)
            && checker.elements(fetch.type, fetch.offset, fetch.length) && isFetch(bytes)) {
            fetchInto(checker.segment(), bytes);
            if (fetch.done < bytes) {
                return false;
            }
            replies.beginData(fetch.requestId, bytes);
            replies.append(before, 0, bytes);
            metrics.executed(ServerOperation.GET_ACCUMULATE, requester.rankOrNone(), fetch.rank, fetch.length);
        } else {
            refuse(checker, fetch.requestId, fetch.rank, fetch.segmentId, fetch.offset, bytes);
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

    private void refuse(RequestChecker failed, long requestId, int rank, long segmentId, long offset, long length) {
        metrics.rejected();
        replies.error(requestId, failed.code(), rank, segmentId, offset, length, failed.bound(), failed.detail());
    }
}
