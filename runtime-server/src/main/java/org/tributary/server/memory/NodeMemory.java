package org.tributary.server.memory;

import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;
import org.tributary.config.JobEnvironment;
import org.tributary.config.NodeRanks;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.NotifyTable;
import org.tributary.wire.shm.Presence;

/**
 * The shared memory of a node, as its server sees it: segments, mutexes, locks of windows and of accumulates, and the
 * states of the node's ranks. Owned by the main event loop; others look up segments, notify, and ring.
 */
public final class NodeMemory {
    private final Settings settings;
    private final ControlFile control;
    private final SegmentRegistry segments;
    private final MutexQueues mutexes;
    private final WindowLocks windowLocks;
    private final LocalRanks localRanks;
    private final AccumulateLocks accumulateLocks;
    private final LockWatch lockWatch;
    private final ServerLog log;
    private final HeldUp heldUp;
    private final int jobRanks;
    private final NodeRanks ranks;

    /**
     * Of a node whose segments are made already.
     *
     * @param onFault hears of memory that is damaged or gone
     */
    public NodeMemory(JobEnvironment job, Settings settings, ControlFile control, Presence presence,
        SegmentRegistry segments, ServerMetrics metrics, ServerLog log, EventExecutor loop,
        Consumer<Throwable> onFault) {
        Topology topology = job.topology();
        this.settings = settings;
        this.control = control;
        this.segments = segments;
        this.jobRanks = topology.rankCount();
        this.ranks = topology.ranksOf(job.node());
        this.localRanks = new LocalRanks(control, log);
        this.mutexes = new MutexQueues(this::isLocal, topology.rankCount());
        this.windowLocks = new WindowLocks(this::isLocal, topology.rankCount());
        segments.mapped().add(control.file(), control.sizeInBytes());
        // Nothing here waits for one of the locks. With one loop this server itself holds none when it tries.
        boolean mayHold = segments.loops() > 1;
        this.accumulateLocks = control.accumulateLocks(ControlFile.SERVER_TOKEN,
            token -> (mayHold || token != ControlFile.SERVER_TOKEN) && presence.isAlive(token), () -> { });
        this.lockWatch = new LockWatch(loop, mutexes, windowLocks, segments, onFault);
        this.log = log;
        this.heldUp = heldUpOn(loop, onFault);
        metrics.gauge("tributary.segments", "Segments", segments, SegmentRegistry::count);
        metrics.gauge("tributary.segment.bytes", "Shared memory in segments", segments, SegmentRegistry::bytes);
        metrics.gauge("tributary.mutex.waiting", "Requests that wait for a mutex", mutexes, MutexQueues::waiting);
        metrics.gauge("tributary.window.waiting", "Requests that wait for the lock of a window", windowLocks,
            WindowLocks::waiting);
    }

    public SegmentRegistry segments() {
        return segments;
    }

    public MutexQueues mutexes() {
        return mutexes;
    }

    public WindowLocks windowLocks() {
        return windowLocks;
    }

    /** Watches the words that ranks wait for. */
    public LockWatch lockWatch() {
        return lockWatch;
    }

    public AccumulateLocks accumulateLocks() {
        return accumulateLocks;
    }

    /** Work of the main event loop that waits for a lock of accumulates. */
    public HeldUp heldUp() {
        return heldUp;
    }

    /** The same of another loop. */
    public HeldUp heldUpOn(EventExecutor loop, Consumer<Throwable> onFault) {
        return new HeldUp(loop, log, this::holderOfAccumulateLock, onFault);
    }

    public LocalRanks localRanks() {
        return localRanks;
    }

    public NodeRanks ranks() {
        return ranks;
    }

    public boolean isLocal(int rank) {
        return ranks.contains(rank);
    }

    public int localIndex(int rank) {
        return ranks.indexOf(rank);
    }

    /** A rank waits for nothing any more, and what it holds goes to the next. */
    public void rankGone(int rank) {
        mutexes.rankGone(rank, segments);
        windowLocks.rankGone(rank, segments);
    }

    /** The holder of one of the locks of accumulates now, for a message. */
    private String holderOfAccumulateLock() {
        String found = "nobody known";
        for (int lock = 0; lock < AccumulateLocks.LOCKS; lock++) {
            int token = accumulateLocks.holder(lock);
            if (token >= 1 && token <= ranks.count()) {
                return "rank " + ranks.rank(token - 1) + " (pid " + localRanks.pid(token - 1) + ")";
            }
            found = token == ControlFile.SERVER_TOKEN ? "an event loop of this server" : found;
        }
        return found;
    }

    /** Wakes a rank of this node that may wait for what has just been stored. */
    public void ring(int rank) {
        control.doorbell(localIndex(rank)).ring();
    }

    /** Counts a notification at a rank of this node. */
    public boolean notify(int rank, int source, RequestChecker checker) {
        if (!isLocal(rank)) {
            return checker.fail(ErrorCode.RANK_UNKNOWN, 0, "the rank is not on this node");
        }
        NotifyTable table = control.notifications(localIndex(rank));
        if (!table.add(source)) {
            table.check(jobRanks, () -> "the notification table of rank " + rank + " in " + control.file());
            return checker.fail(ErrorCode.RESOURCE_EXHAUSTED, settings.notifyMaxSources(),
                "too many ranks notify this one; raise notify.max-sources");
        }
        ring(rank);
        return true;
    }
}
