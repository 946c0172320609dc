package org.tributary.server.execute;

import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.io.Replies;
import org.tributary.server.io.Requester;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.RequestChecker;
import org.tributary.server.memory.TakenMutexes;
import org.tributary.server.observe.RequestCounts;
import org.tributary.wire.codec.LockDecoder;
import org.tributary.wire.codec.UnlockDecoder;
import org.tributary.wire.status.ServerOperation;

/**
 * Executes requests for mutexes that nobody waits for on an event loop that is not the main one ({@link TakenMutexes}).
 * The rest is the main loop's, which owns the queues. What the rank holds is noted here, and told to the main loop
 * before the rank's departure. Owned by the loop of the connection; the main one has it while it does work for the
 * connection, and after its end.
 *
 * <p>This relies on the rule of the protocol that a rank has one connection to the server of a node for its requests:
 * what it has taken over another one, the main loop would not know when it hears the rank's goodbye, so that nobody
 * would ever get that mutex. A second one is admitted nevertheless, as a rank may find that it cannot use a connection:
 * it gives that up ({@link org.tributary.wire.Frames#NO_RANK}) before it has taken anything over it.
 */
public final class UncontendedMutexes {
    private final LockDecoder lock = new LockDecoder();
    private final UnlockDecoder unlock = new UnlockDecoder();
    private final NodeMemory memory;
    private final RequestCounts counts;
    private final Replies replies;
    private final Requester requester;
    private final RequestExecutor executor;
    private final RequestChecker checker;
    private final TakenMutexes taken;

    public UncontendedMutexes(NodeMemory memory, RequestCounts counts, Replies replies, Requester requester,
        RequestExecutor executor) {
        this.memory = memory;
        this.counts = counts;
        this.replies = replies;
        this.requester = requester;
        this.executor = executor;
        this.checker = executor.checker();
        this.taken = new TakenMutexes(requester.number());
    }

    /** Executes a request; false when the main loop has to do so, which also says what is wrong with one. */
    public boolean execute(UnsafeBuffer buffer, int at, int template, int blockLength, int version) {
        return switch (template) {
            case LockDecoder.TEMPLATE_ID -> lock(lock.wrap(buffer, at, blockLength, version));
            case UnlockDecoder.TEMPLATE_ID -> unlock(unlock.wrap(buffer, at, blockLength, version));
            default -> false;
        };
    }

    private boolean lock(LockDecoder request) {
        int home = request.rank();
        long offset = request.targetOffset();
        if (!requester.isRank() || !checker.mutex(request.segmentId(), home, offset)
            || !taken.tryLock(checker.segment(), home, offset)) {
            return false;
        }
        counts.executed(ServerOperation.LOCK, requester.number(), home, 0);
        replies.value(request.requestId(), 1);
        return true;
    }

    private boolean unlock(UnlockDecoder request) {
        int home = request.rank();
        long offset = request.targetOffset();
        if (!checker.mutex(request.segmentId(), home, offset)
            || !taken.tryUnlock(checker.segment(), home, offset)) {
            return false;
        }
        counts.executed(ServerOperation.UNLOCK, requester.number(), home, 0);
        executor.oneWayDone(request.flags());
        return true;
    }

    /** The rank leaves, or its connection has ended. On the main loop. */
    public void tellMain() {
        taken.tellMain(memory.mutexes());
    }
}
