package org.tributary.server.execute;

import java.lang.foreign.MemorySegment;
import org.tributary.config.EnumText;
import org.tributary.server.io.Replies;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.io.Requester;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RequestChecker;
import org.tributary.server.memory.TakenWindowLocks;
import org.tributary.server.observe.RequestCounts;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SharedWord;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.shm.WindowLock;

/**
 * The completions of one connection's requests: a count in the control words of an RMA window, or the release of a
 * lock. Refused requests are completed too, because the target would wait for ever otherwise; the requester learns of
 * the refusal. Owned by the event loop of the connection, which has locks released by the main one, unless it has
 * taken them itself and nobody waits for them.
 */
public final class Completions {
    private final NodeMemory memory;
    private final RequestCounts counts;
    private final ReplyWriter replies;
    private final RequestChecker windows;
    private final Requester requester;
    private final StateWork work;
    /** Null on the main loop. */
    private final TakenWindowLocks taken;
    private final StateWork.Step release = this::release;
    private final Runnable runWaiting = this::runWaiting;
    private int waitingFlags;
    private long waitingWindow;
    private int waitingRank;
    private LockMode releasedMode;
    private long releasedWindow;
    private int releasedRank;

    /** {@code taken} is null on the main loop. */
    public Completions(NodeMemory memory, RequestCounts counts, ReplyWriter replies, Requester requester,
        StateWork work, TakenWindowLocks taken) {
        this.work = work;
        this.taken = taken;
        this.memory = memory;
        this.counts = counts;
        this.replies = replies;
        this.windows = new RequestChecker(memory.segments());
        this.requester = requester;
    }

    /** Looks up control words of windows; says what is wrong with them. */
    RequestChecker windows() {
        return windows;
    }

    /** The locks of windows that the requester has taken on this loop; null on the main one. */
    TakenWindowLocks taken() {
        return taken;
    }

    /** Does what the flags of an executed request say. */
    void run(int flags, long windowId, int rank) {
        int then = flags & Frames.THEN_MASK;
        if (then == 0) {
            return;
        }
        if (then == Frames.THEN_UNLOCK_SHARED || then == Frames.THEN_UNLOCK_EXCLUSIVE) {
            releasedMode = then == Frames.THEN_UNLOCK_SHARED ? LockMode.SHARED : LockMode.EXCLUSIVE;
            releasedWindow = windowId;
            releasedRank = rank;
            if (!releaseHere()) {
                work.execute(release);
            }
        } else if (!(windows.target(windowId, rank, SegmentKind.WINDOW) && count(flags, rank))) {
            counts.rejected();
            refuse(replies, windowId, rank);
        }
    }

    private boolean releaseHere() {
        return taken != null && requester.isRank() && windows.target(releasedWindow, releasedRank, SegmentKind.WINDOW)
            && taken.tryUnlock(windows.segment(), releasedRank, releasedMode);
    }

    private boolean release() {
        if (!(windows.target(releasedWindow, releasedRank, SegmentKind.WINDOW)
            && unlock(releasedRank, releasedMode))) {
            work.counts().rejected();
            refuse(work.replies(), releasedWindow, releasedRank);
        }
        return true;
    }

    private void refuse(Replies to, long windowId, int rank) {
        to.error(Frames.NO_REQUEST, windows.code(), rank, windowId, 0, 0, windows.bound(), windows.detail());
    }

    /** As {@link #run}, once data that is leaving directly from its segment has left. */
    void runAfterDirect(int flags, long windowId, int rank) {
        if ((flags & Frames.THEN_MASK) != 0) {
            waitingFlags = flags; // one at a time: no later request is executed before
            waitingWindow = windowId;
            waitingRank = rank;
            replies.afterDirect(runWaiting);
        }
    }

    private void runWaiting() {
        run(waitingFlags, waitingWindow, waitingRank);
    }

    private boolean count(int flags, int rank) {
        int then = flags & Frames.THEN_MASK;
        if (then == Frames.THEN_COUNT_FENCE) {
            count(rank, WindowLayout.FENCE_COUNT);
        } else if (then == Frames.THEN_COUNT_EXPOSURE) {
            long word = WindowLayout.ends(Frames.member(flags));
            if (word + Long.BYTES > windows.segment().part(rank).byteSize()) {
                return windows.fail(ErrorCode.BAD_REQUEST, Frames.member(flags), "no such member");
            }
            count(rank, word);
        } else {
            return windows.fail(ErrorCode.BAD_REQUEST, then, "no such completion");
        }
        return true;
    }

    private void count(int rank, long word) {
        MemorySegment words = windows.segment().part(rank);
        // Full-fence addition after the request itself: count seen, data seen. Partner: the target's acquire load.
        SharedWord.getAndAddLong(words, word, 1);
        memory.ring(rank);
    }

    /** Releases, on the main loop, the requester's lock of a rank's part of the window that was looked up last. */
    boolean unlock(int rank, LockMode mode) {
        NodeSegment window = windows.segment();
        if (taken != null) {
            taken.tellMain(memory.windowLocks(), window, rank);
        }
        if (!requester.isRank() || !memory.windowLocks().unlock(window, rank, mode, requester.number())) {
            return windows.fail(ErrorCode.LOCK_NOT_HELD, WindowLock.exclusiveHolder(window.part(rank)),
                "not held " + EnumText.underscored(mode));
        }
        if (taken != null) {
            taken.forgets(window, rank);
        }
        return true;
    }
}
