package org.tributary.server.execute;

import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.io.Replies;
import org.tributary.server.io.Requester;
import org.tributary.server.memory.HeldUp;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RequestChecker;
import org.tributary.server.memory.TakenWindowLocks;
import org.tributary.server.memory.WindowLocks;
import org.tributary.server.observe.RequestCounts;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.LockWindowDecoder;
import org.tributary.wire.codec.LockedAccumulateDecoder;
import org.tributary.wire.codec.LockedGetDecoder;
import org.tributary.wire.codec.LockedPutDecoder;
import org.tributary.wire.codec.UnlockWindowDecoder;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.status.ServerOperation;

/**
 * Executes the requests of one connection for the locks of windows, with the operations that travel with them. Their
 * payload is short and held until it is complete. Owned by the main event loop, but for what is said to be called on
 * that of the connection; it is never called on both at a time ({@link StateWork}).
 */
public final class WindowRequests {
    private static final int MAIN_LOOP = 0;

    private final LockWindowDecoder lockWindow = new LockWindowDecoder();
    private final UnlockWindowDecoder unlockWindow = new UnlockWindowDecoder();
    private final LockedPutDecoder lockedPut = new LockedPutDecoder();
    private final LockedAccumulateDecoder lockedAccumulate = new LockedAccumulateDecoder();
    private final LockedGetDecoder lockedGet = new LockedGetDecoder();
    private final LockedRequest locked = new LockedRequest();
    private final NodeMemory memory;
    private final StateWork work;
    private final RequestCounts counts;
    private final Replies replies;
    private final Requester requester;
    private final RequestExecutor executor;
    private final Accumulator accumulator;
    private final PayloadSink sink;
    private final RequestChecker checker;
    private final Completions completions;
    private final RequestChecker windows;
    /** Null on the main loop, as is what was taken there. */
    private final UncontendedWindowLocks uncontended;
    private final TakenWindowLocks taken;
    private final StateWork.Step heldStep = this::executeHeld;
    private boolean isHolding;

    /** {@code uncontended} is null on the main loop. */
    public WindowRequests(NodeMemory memory, StateWork work, Requester requester, RequestExecutor executor,
        Accumulator accumulator, UncontendedWindowLocks uncontended) {
        this.memory = memory;
        this.work = work;
        this.counts = work.counts();
        this.replies = work.replies();
        this.requester = requester;
        this.executor = executor;
        this.accumulator = accumulator;
        this.sink = executor.sink();
        this.checker = executor.checker();
        this.completions = executor.completions();
        this.windows = completions.windows();
        this.uncontended = uncontended;
        this.taken = completions.taken();
    }

    /** Begins to hold the payload of a request; false when it is none of those. On the connection's loop. */
    public boolean hold(UnsafeBuffer buffer, int at, int template, int blockLength, int version, int payloadLength) {
        switch (template) {
            case LockedPutDecoder.TEMPLATE_ID -> {
                onlyRanks(template);
                locked.put(lockedPut.wrap(buffer, at, blockLength, version), payloadLength);
            }
            case LockedAccumulateDecoder.TEMPLATE_ID -> {
                onlyRanks(template);
                locked.accumulate(lockedAccumulate.wrap(buffer, at, blockLength, version), payloadLength);
            }
            default -> {
                return false;
            }
        }
        isHolding = true;
        sink.holdIfShort(payloadLength);
        return true;
    }

    /** Whether the payload that comes is that of a request here. On the connection's loop. */
    public boolean isHolding() {
        return isHolding;
    }

    /**
     * The payload is complete: has the request executed. On the connection's loop.
     *
     * @return false when that has to wait for a lock of accumulates; to be called again then
     */
    public boolean payloadDone() {
        sink.end();
        if (uncontended != null) {
            locked.payload(sink.held());
            if (uncontended.execute(locked)) {
                isHolding = false;
                return true;
            }
        }
        return work.execute(heldStep);
    }

    private boolean executeHeld() {
        locked.payload(sink.held());
        isHolding = !locked();
        return !isHolding;
    }

    /** Executes a request without payload; false when it is none of those executed here. */
    public boolean execute(UnsafeBuffer buffer, int at, int template, int blockLength, int version) {
        switch (template) {
            case LockWindowDecoder.TEMPLATE_ID -> lock(lockWindow.wrap(buffer, at, blockLength, version));
            case UnlockWindowDecoder.TEMPLATE_ID -> unlock(unlockWindow.wrap(buffer, at, blockLength, version));
            case LockedGetDecoder.TEMPLATE_ID -> {
                onlyRanks(template);
                locked.get(lockedGet.wrap(buffer, at, blockLength, version));
                locked(); // a get takes no lock of accumulates
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
        counts.executed(ServerOperation.LOCK_WINDOW, requester.number(), home, 0);
        if (request.attempt() != 0) {
            boolean isTaken = memory.windowLocks().tryLock(window, home, mode, requester.number());
            if (isTaken && taken != null) {
                taken.asks(window, home);
            }
            replies.value(requestId, isTaken ? 1 : 0);
        } else {
            if (taken != null) {
                taken.asks(window, home);
            }
            memory.windowLocks().lock(window, home, new WaitingRank(replies, requester.number(), requestId, windowId,
                home, mode, mode == LockMode.SHARED && request.holdsOther() != 0));
            memory.lockWatch().begin();
        }
    }

    private boolean isLockable(long windowId, int home, LockMode mode) {
        if (mode == LockMode.NULL_VAL) {
            return windows.fail(ErrorCode.BAD_REQUEST, 0, "no lock mode");
        }
        if (!windows.target(windowId, home, SegmentKind.WINDOW)) {
            return false;
        }
        if (taken != null) {
            taken.tellMain(memory.windowLocks(), windows.segment(), home);
        }
        return !memory.windowLocks().isHeld(windows.segment(), home, requester.number())
            || windows.fail(ErrorCode.LOCK_ALREADY_HELD, requester.number(),
                "this rank holds the lock or waits for it");
    }

    private static void freed(Replies replies, long requestId, int home, long windowId) {
        replies.error(requestId, ErrorCode.SEGMENT_UNKNOWN, home, windowId, 0, 0, 0,
            "freed while this rank waited for one of its locks");
        replies.flush();
    }

    private record WaitingRank(Replies replies, int rank, long requestId, long windowId, int home, LockMode mode,
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
            counts.executed(ServerOperation.UNLOCK_WINDOW, requester.number(), home, 0);
        } else {
            refuse(windows, Frames.NO_REQUEST, home, request.windowId(), 0, 0);
        }
        executor.oneWayDone(request.flags());
    }

    /** Executes the request, queues it, or refuses it; false when it has to wait before that. */
    private boolean locked() {
        if (!PayloadSink.isShort(locked.length(), checker) || !locked.isValid(checker)) {
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
        counts.executed(locked.operation(), requester.number(), locked.rank(), locked.length());
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
        segment.pin(MAIN_LOOP);
        LockedRequest kept = locked.kept();
        HeldUp.Entry heldUp = memory.heldUp().entry(() -> {
            kept.endWait();
            memory.windowLocks().passOn(window, kept.rank());
        });
        memory.windowLocks().lock(window, kept.rank(), new WaitingOperation(replies, requester.number(), kept, segment,
            accumulator, heldUp));
        memory.lockWatch().begin();
        return true;
    }

    /** An operation that waits for its lock; its segment may be freed meanwhile, but not unmapped. */
    private record WaitingOperation(Replies replies, int rank, LockedRequest request,
        NodeSegment segment, Accumulator accumulator, HeldUp.Entry heldUp) implements WindowLocks.Waiter {
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
            if (isPrepared) {
                heldUp.gotOn();
            } else if (request.beginWait()) {
                heldUp.later();
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
                segment.unpin(MAIN_LOOP);
            }
            replies.flush();
        }

        @Override
        public void freed() {
            segment.unpin(MAIN_LOOP);
            WindowRequests.freed(replies, request.requestId(), request.rank(), request.windowId());
        }

        @Override
        public void dropped() {
            segment.unpin(MAIN_LOOP);
        }
    }

    private void refuse(RequestChecker failed, long requestId, int rank, long segmentId, long offset, long length) {
        counts.rejected();
        replies.error(requestId, failed.code(), rank, segmentId, offset, length, failed.bound(), failed.detail());
    }
}
