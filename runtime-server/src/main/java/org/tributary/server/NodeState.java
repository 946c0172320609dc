package org.tributary.server;

import java.lang.foreign.Arena;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.wire.Membership;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.NotifyTable;
import org.tributary.wire.shm.Presence;

/** Everything that the connections of a server share. Owned by the event loop. */
final class NodeState {
    /** Requests that wait for slow readers take little more than this. */
    static final long KEPT_BYTES = 16 << 20;

    private final JobEnvironment job;
    private final Settings settings;
    private final Membership membership;
    private final ControlFile control;
    private final SegmentRegistry segments;
    private final MutexQueues mutexes;
    private final WindowLocks windowLocks;
    private final LocalRanks localRanks;
    private final ServerMetrics metrics;
    private final ServerLog log;
    private final ReplyBufferPool replyBuffers;
    private final KeptRequests kept;
    private final AccumulateLocks accumulateLocks;
    private final int firstRank;
    private final int localRankCount;
    private final Set<Session> sessions = Collections.newSetFromMap(new IdentityHashMap<>());
    private JobLife life;
    private Cooperation cooperation;
    private Rings rings;
    private SilentHosts silentHosts;
    private Neighbours neighbours;
    private LockWatch lockWatch;
    private HeldUp heldUp;
    private final Encryption encryption;

    NodeState(JobEnvironment job, Settings settings, ControlFile control, Presence presence,
        SegmentRegistry segments, Arena arena) {
        this.job = job;
        this.settings = settings;
        this.membership = Membership.of(job, settings);
        this.control = control;
        this.segments = segments;
        this.metrics = new ServerMetrics(job.node());
        this.log = new ServerLog(job.node());
        this.localRanks = new LocalRanks(control, log);
        this.mutexes = new MutexQueues(this::isLocal, job.topology().rankCount());
        this.windowLocks = new WindowLocks(this::isLocal, job.topology().rankCount());
        segments.mapped().add(control.file(), control.sizeInBytes());
        this.replyBuffers = new ReplyBufferPool(arena);
        this.kept = new KeptRequests(arena, settings.serverReceiveBuffer(), KEPT_BYTES);
        // Nothing here waits for one of the locks, and this server itself holds none when it tries.
        this.accumulateLocks = control.accumulateLocks(ControlFile.SERVER_TOKEN,
            token -> token != ControlFile.SERVER_TOKEN && presence.isAlive(token), () -> { });
        this.encryption = new Encryption(settings, arena, replyBuffers, kept);
        Topology topology = job.topology();
        this.firstRank = topology.firstRank(job.node());
        this.localRankCount = topology.rankCount(job.node());
        metrics.gauge("tributary.segments", "Segments", segments, SegmentRegistry::count);
        metrics.gauge("tributary.segment.bytes", "Shared memory in segments", segments, SegmentRegistry::bytes);
        metrics.gauge("tributary.mutex.waiting", "Requests that wait for a mutex", mutexes, MutexQueues::waiting);
        metrics.gauge("tributary.window.waiting", "Requests that wait for the lock of a window", windowLocks,
            WindowLocks::waiting);
        metrics.gauge("tributary.reply.buffers", "Reply buffers made", replyBuffers, ReplyBufferPool::count);
        metrics.gauge("tributary.reply.buffers.sending", "Reply buffers that wait until sockets take them",
            replyBuffers, ReplyBufferPool::sending);
        metrics.gauge("tributary.kept.bytes", "Memory of requests that wait until their connection takes its answers,"
            + " and of incomplete records",
            kept, KeptRequests::used);
        metrics.gauge("tributary.kept.scarce", "Reads made small because that memory was scarce", kept,
            KeptRequests::scarceReads);
    }

    void live(JobLife jobLife) {
        life = jobLife;
    }

    /** Where what is held up is tried again. */
    void holdUp(HeldUp later) {
        heldUp = later;
    }

    HeldUp heldUp() {
        return heldUp;
    }

    /** Who holds one of the locks of accumulates now, for a message. */
    String holderOfAccumulateLock() {
        for (int lock = 0; lock < AccumulateLocks.LOCKS; lock++) {
            int token = accumulateLocks.holder(lock);
            if (token >= 1 && token <= localRankCount) {
                return "rank " + (firstRank + token - 1) + " (pid " + localRanks.pid(token - 1) + ")";
            }
        }
        return "nobody known";
    }

    /** Nodes of the job cooperate. */
    void cooperate(Cooperation withOthers) {
        cooperation = withOthers;
    }

    /** This server's part in the cooperation of nodes; null when requests come straight to it. */
    Cooperation cooperation() {
        return cooperation;
    }

    /** Words that somebody waits for are looked at. */
    void use(LockWatch ofLocks) {
        lockWatch = ofLocks;
    }

    /** Watches the words that somebody waits for. */
    LockWatch lockWatch() {
        return lockWatch;
    }

    /** Servers form a tree. */
    void use(Neighbours inTree) {
        neighbours = inTree;
    }

    /** TCP connections are watched. */
    void use(SilentHosts ofConnections) {
        silentHosts = ofConnections;
    }

    /** Watches every TCP connection of this server. */
    SilentHosts silentHosts() {
        return silentHosts;
    }

    /** How connections to other nodes travel. */
    Encryption encryption() {
        return encryption;
    }

    /** Ranks of the node hand over requests in rings. */
    void use(Rings ofRanks) {
        rings = ofRanks;
    }

    /** Where ranks of the node hand over requests; null when they do so over connections. */
    Rings rings() {
        return rings;
    }

    JobEnvironment job() {
        return job;
    }

    ControlFile control() {
        return control;
    }

    SegmentRegistry segments() {
        return segments;
    }

    MutexQueues mutexes() {
        return mutexes;
    }

    WindowLocks windowLocks() {
        return windowLocks;
    }

    /** The states of the node's ranks. */
    LocalRanks localRanks() {
        return localRanks;
    }

    /** A rank waits for nothing any more, and what it holds goes to the next. */
    void rankGone(int rank) {
        mutexes.rankGone(rank, segments);
        windowLocks.rankGone(rank, segments);
        if (cooperation != null) {
            cooperation.rankGone(rank);
        }
    }

    ServerMetrics metrics() {
        return metrics;
    }

    ServerLog log() {
        return log;
    }

    ReplyBufferPool replyBuffers() {
        return replyBuffers;
    }

    KeptRequests kept() {
        return kept;
    }

    AccumulateLocks accumulateLocks() {
        return accumulateLocks;
    }

    JobLife life() {
        return life;
    }

    Set<Session> sessions() {
        return sessions;
    }

    int maxPayload() {
        return settings.messageMaxPayload();
    }

    /** The longest payload of a message on a connection; a server that passes requests on takes answers whole. */
    int maxPayload(Role role) {
        return role == Role.CHANNEL ? cooperation.maxPayload() : maxPayload();
    }

    /** What makes this server part of its job. */
    Membership membership() {
        return membership;
    }

    long connectTimeoutNs() {
        return settings.connectTimeoutNs();
    }

    boolean isLocal(int rank) {
        return rank >= firstRank && rank < firstRank + localRankCount;
    }

    int localIndex(int rank) {
        return rank - firstRank;
    }

    /** Wakes a rank of this node that may wait for what has just been stored. */
    void ring(int rank) {
        control.doorbell(localIndex(rank)).ring();
    }

    /** Counts a notification at a rank of this node. */
    boolean notify(int rank, int source, RequestChecker checker) {
        if (!isLocal(rank)) {
            return checker.fail(ErrorCode.RANK_UNKNOWN, 0, "the rank is not on this node");
        }
        NotifyTable table = control.notifications(localIndex(rank));
        if (!table.add(source)) {
            table.check(job.topology().rankCount(),
                () -> "the notification table of rank " + rank + " in " + control.file());
            return checker.fail(ErrorCode.RESOURCE_EXHAUSTED, settings.notifyMaxSources(),
                "too many ranks notify this one; raise notify.max-sources");
        }
        ring(rank);
        return true;
    }

    void segmentRemoved(long segmentId) {
        windowLocks.removed(segmentId);
    }

    /** Closes every connection: the server ends. */
    void disconnect() {
        if (neighbours != null) {
            neighbours.disconnect();
        }
        if (cooperation != null) {
            cooperation.disconnect();
        }
        List.copyOf(sessions).forEach(session -> session.context().close());
    }

    void opened(Session session) {
        sessions.add(session);
    }

    void closed(Session session) {
        sessions.remove(session);
        if (session.hasJoined()) {
            life.closed(session);
        } else {
            life.givenUp(session);
        }
    }
}
