package org.tributary.server.execute;

import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.io.Replies;
import org.tributary.server.io.Requester;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RequestChecker;
import org.tributary.server.memory.TakenWindowLocks;
import org.tributary.server.observe.RequestCounts;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.LockWindowDecoder;
import org.tributary.wire.codec.LockedGetDecoder;
import org.tributary.wire.codec.UnlockWindowDecoder;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.status.ServerOperation;

/**
 * Executes requests for the locks of windows that nobody waits for on an event loop that is not the main one ({@link
 * TakenWindowLocks}), with the operations that travel with them. The rest is the main loop's ({@link WindowRequests}),
 * which also says what is wrong with a request. Owned by the loop of the connection; the main one has it while it does
 * work for the connection, and after its end. As {@link UncontendedMutexes}, this relies on a rank's one connection.
 */
public final class UncontendedWindowLocks {
    private final LockWindowDecoder lockWindow = new LockWindowDecoder();
    private final UnlockWindowDecoder unlockWindow = new UnlockWindowDecoder();
    private final LockedGetDecoder lockedGet = new LockedGetDecoder();
    private final LockedRequest get = new LockedRequest();
    private final NodeMemory memory;
    private final StateWork work;
    private final RequestCounts counts;
    private final Replies replies;
    private final Requester requester;
    private final RequestExecutor executor;
    private final Accumulator accumulator;
    private final RequestChecker checker;
    private final RequestChecker windows;
    private final TakenWindowLocks taken;
    private final StateWork.Step leave = this::leave;
    private long leftWindow;
    private int leftRank;
    private LockMode leftMode;

    public UncontendedWindowLocks(NodeMemory memory, StateWork work, RequestCounts counts, Replies replies,
        Requester requester, RequestExecutor executor, Accumulator accumulator) {
        this.memory = memory;
        this.work = work;
        this.counts = counts;
        this.replies = replies;
        this.requester = requester;
        this.executor = executor;
        this.accumulator = accumulator;
        this.checker = executor.checker();
        this.windows = executor.completions().windows();
        this.taken = executor.completions().taken();
    }

    /** Executes a request without payload; false when the main loop has to do so. */
    public boolean execute(UnsafeBuffer buffer, int at, int template, int blockLength, int version) {
        return switch (template) {
            case LockWindowDecoder.TEMPLATE_ID -> lock(lockWindow.wrap(buffer, at, blockLength, version));
            case UnlockWindowDecoder.TEMPLATE_ID -> unlock(unlockWindow.wrap(buffer, at, blockLength, version));
            case LockedGetDecoder.TEMPLATE_ID -> {
                get.get(lockedGet.wrap(buffer, at, blockLength, version));
                yield execute(get);
            }
            default -> false;
        };
    }

    private boolean isLock(long windowId, int home, LockMode mode) {
        return requester.isRank() && mode != LockMode.NULL_VAL && windows.target(windowId, home, SegmentKind.WINDOW);
    }

    private boolean lock(LockWindowDecoder request) {
        int home = request.rank();
        LockMode mode = request.mode();
        if (!isLock(request.windowId(), home, mode) || !taken.tryLock(windows.segment(), home, mode)) {
            return false;
        }
        counts.executed(ServerOperation.LOCK_WINDOW, requester.number(), home, 0);
        replies.value(request.requestId(), 1);
        return true;
    }

    private boolean unlock(UnlockWindowDecoder request) {
        int home = request.rank();
        LockMode mode = request.mode();
        if (!isLock(request.windowId(), home, mode) || !taken.tryUnlock(windows.segment(), home, mode)) {
            return false;
        }
        counts.executed(ServerOperation.UNLOCK_WINDOW, requester.number(), home, 0);
        executor.oneWayDone(request.flags());
        return true;
    }

    /** Executes an operation under its lock, with its payload; false when the main loop has to do so. */
    boolean execute(LockedRequest request) {
        int home = request.rank();
        LockMode mode = request.mode();
        if (!PayloadSink.isShort(request.length(), checker) || !request.isValid(checker)
            || !isLock(request.windowId(), home, mode)) {
            return false;
        }
        NodeSegment window = windows.segment();
        NodeSegment segment = checker.segment();
        if (!request.prepare(segment, accumulator)) {
            return false;
        }
        try {
            if (!taken.tryEnter(window, home, mode)) {
                return false;
            }
            try {
                counts.executed(request.operation(), requester.number(), home, request.length());
                request.execute(segment, accumulator, replies);
            } finally {
                leave(window, home, mode);
            }
        } finally {
            request.release(segment, accumulator);
        }
        return true;
    }

    private void leave(NodeSegment window, int home, LockMode mode) {
        if (!taken.tryLeave(window, home, mode)) {
            leftWindow = window.id(); // one at a time: the connection executes nothing until this has come back
            leftRank = home;
            leftMode = mode;
            work.execute(leave);
        }
    }

    /** Somebody waits by now; nobody does when the window has been freed. On the main loop. */
    private boolean leave() {
        if (windows.target(leftWindow, leftRank, SegmentKind.WINDOW)) {
            taken.leave(memory.windowLocks(), windows.segment(), leftRank, leftMode);
        }
        return true;
    }

    /** The rank leaves, or its connection has ended. On the main loop. */
    public void tellMain() {
        taken.tellMain(memory.windowLocks());
    }
}
