package org.tributary.server.connection;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.fabric.RegionKey;
import org.tributary.server.adapter.NodeAdapter;
import org.tributary.server.execute.RequestExecutor;
import org.tributary.server.execute.StateWork;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.io.Replies;
import org.tributary.server.io.Requester;
import org.tributary.server.job.Member;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RequestChecker;
import org.tributary.server.memory.WaiterQueues;
import org.tributary.server.observe.RequestCounts;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AbortDecoder;
import org.tributary.wire.codec.AllocateDecoder;
import org.tributary.wire.codec.AskChannelDecoder;
import org.tributary.wire.codec.AskRegionDecoder;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.FreeDecoder;
import org.tributary.wire.codec.GoodbyeDecoder;
import org.tributary.wire.codec.LeaveChannelDecoder;
import org.tributary.wire.codec.LockDecoder;
import org.tributary.wire.codec.NodeLeftDecoder;
import org.tributary.wire.codec.ProbeDecoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.ShutdownDecoder;
import org.tributary.wire.codec.UnlockDecoder;
import org.tributary.wire.codec.UseChannelDecoder;
import org.tributary.wire.codec.WakeDecoder;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;
import org.tributary.wire.shm.SharedFile;
import org.tributary.wire.shm.SharedWord;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.status.ServerOperation;

/**
 * Executes the requests of one connection that change the node's state rather than memory. Owned by the main event
 * loop, whichever loop the connection is of.
 */
final class ControlRequests {
    /** Holds back what follows on the connection. */
    interface Pause {
        /** Another thread works for this connection; its later requests wait for that. */
        void beginWork();

        /** That work is done: answers, unless the connection is closed, and goes on. */
        void endWork(Runnable answer);
    }

    private static final byte[] NO_ADDRESS = {};

    private final LockDecoder lock = new LockDecoder();
    private final UnlockDecoder unlock = new UnlockDecoder();
    private final ProbeDecoder probe = new ProbeDecoder();
    private final AllocateDecoder allocate = new AllocateDecoder();
    private final FreeDecoder free = new FreeDecoder();
    private final AskRegionDecoder askRegion = new AskRegionDecoder();
    private final AskChannelDecoder askChannel = new AskChannelDecoder();
    private final GoodbyeDecoder goodbye = new GoodbyeDecoder();
    private final AbortDecoder abort = new AbortDecoder();
    private final NodeLeftDecoder nodeLeft = new NodeLeftDecoder();
    private final Connections connections;
    private final NodeMemory memory;
    private final RequestCounts counts;
    private final Member session;
    private final Pause pause;
    private final RequestCarrier carrier;
    private final Replies replies;
    private final Requester requester;
    private final RequestExecutor executor;
    private final RequestChecker checker;

    ControlRequests(Connections connections, Member session, Pause pause, RequestCarrier carrier, StateWork work,
        Requester requester, RequestExecutor executor) {
        this.connections = connections;
        this.memory = connections.memory();
        this.counts = work.counts();
        this.pause = pause;
        this.session = session;
        this.carrier = carrier;
        this.replies = work.replies();
        this.requester = requester;
        this.executor = executor;
        this.checker = executor.checker();
    }

    void execute(UnsafeBuffer buffer, int at, int template, int blockLength, int version, int extra) {
        switch (template) {
            case LockDecoder.TEMPLATE_ID -> lock(lock.wrap(buffer, at, blockLength, version));
            case UnlockDecoder.TEMPLATE_ID -> unlock(unlock.wrap(buffer, at, blockLength, version));
            case ProbeDecoder.TEMPLATE_ID -> probe(probe.wrap(buffer, at, blockLength, version));
            case AllocateDecoder.TEMPLATE_ID -> allocate(allocate.wrap(buffer, at, blockLength, version), extra);
            case FreeDecoder.TEMPLATE_ID -> free(free.wrap(buffer, at, blockLength, version));
            case AskRegionDecoder.TEMPLATE_ID -> askRegion(askRegion.wrap(buffer, at, blockLength, version));
            case GoodbyeDecoder.TEMPLATE_ID -> goodbye(goodbye.wrap(buffer, at, blockLength, version).rank());
            case AbortDecoder.TEMPLATE_ID -> abort(abort.wrap(buffer, at, blockLength, version), extra);
            case NodeLeftDecoder.TEMPLATE_ID ->
                connections.life().leftBelow(session, nodeLeft.wrap(buffer, at, blockLength, version).node());
            case WakeDecoder.TEMPLATE_ID -> {
                only(Role.LOCAL_RANK, template);
                carrier.useRing();
            }
            case AskChannelDecoder.TEMPLATE_ID -> {
                only(Role.REMOTE_RANK, template);
                if (!session.hasLeft()) {
                    carrier.askChannel(askChannel.wrap(buffer, at, blockLength, version).rate());
                }
            }
            case UseChannelDecoder.TEMPLATE_ID -> carrier.useChannel();
            case LeaveChannelDecoder.TEMPLATE_ID -> carrier.leaveChannel();
            case ShutdownDecoder.TEMPLATE_ID -> {
                if (session.role() == Role.SERVER) { // which goes around one that is stopped
                    connections.life().shutdown(-1);
                    break;
                }
                only(Role.NEIGHBOUR, template);
                connections.life().shutdown(session.rank());
            }
            default -> throw new MalformedFrameException("message " + template + " is no request");
        }
    }

    /** A rank leaves, or a server; a server also says which rank has left that it knows of. */
    private void goodbye(int rank) {
        if (session.role() == Role.CHANNEL && rank != Frames.NO_RANK) {
            if (rank < 0 || rank >= connections.job().topology().rankCount()) {
                throw new MalformedFrameException("goodbye of rank " + rank + ", which does not exist");
            }
            connections.rankGone(rank);
        } else if (rank == Frames.NO_RANK
            && (session.role() == Role.DIRECT_RANK || session.role() == Role.REMOTE_RANK)) {
            session.markLeft(); // the connection is not needed, or could not be used; the rank stays
        } else if (session.role() == Role.LOCAL_RANK && rank == Frames.NO_RANK) {
            connections.life().withdrawn(session);
        } else {
            connections.life().goodbye(session);
        }
    }

    private void only(Role role, int template) {
        if (session.role() != role) {
            throw new MalformedFrameException("message " + template + " from a " + session.role());
        }
    }

    /** A server's number is that of its node: it holds no mutexes. */
    private void onlyRanks(int template) {
        if (!requester.isRank()) {
            throw new MalformedFrameException("message " + template + " from a " + session.role());
        }
    }

    private void lock(LockDecoder request) {
        onlyRanks(LockDecoder.TEMPLATE_ID);
        long requestId = request.requestId();
        long segmentId = request.segmentId();
        long offset = request.targetOffset();
        int home = request.rank();
        int rank = requester.number();
        if (!checker.mutex(segmentId, home, offset)) {
            refuse(requestId, home, segmentId, offset);
            return;
        }
        NodeSegment segment = checker.segment();
        counts.executed(ServerOperation.LOCK, rank, home, 0);
        if (MutexWord.holder(segment.part(home), offset) == rank) {
            checker.fail(ErrorCode.ALREADY_HELD, rank, "this rank holds the mutex already");
            refuse(requestId, home, segmentId, offset);
        } else if (request.attempt() != 0) {
            replies.value(requestId, memory.mutexes().tryLock(segment, home, offset, rank) ? 1 : 0);
        } else {
            memory.mutexes().lock(segment, home, offset,
                new Waiting(replies, rank, requestId, home, segmentId, offset));
            memory.lockWatch().begin();
        }
    }

    private record Waiting(Replies replies, int rank, long requestId, int home, long segmentId, long offset)
        implements WaiterQueues.Waiter {
        @Override
        public void granted() {
            replies.value(requestId, 1);
            replies.flush();
        }

        @Override
        public void freed() {
            replies.error(requestId, ErrorCode.SEGMENT_UNKNOWN, home, segmentId, offset, 0, 0,
                "freed while this rank waited for one of its mutexes");
            replies.flush();
        }
    }

    private void unlock(UnlockDecoder request) {
        onlyRanks(UnlockDecoder.TEMPLATE_ID);
        long segmentId = request.segmentId();
        long offset = request.targetOffset();
        int home = request.rank();
        int rank = requester.number();
        if (!checker.mutex(segmentId, home, offset)) {
            refuse(Frames.NO_REQUEST, home, segmentId, offset);
        } else {
            NodeSegment segment = checker.segment();
            if (MutexWord.holder(segment.part(home), offset) == rank
                && memory.mutexes().unlock(segment, home, offset, rank)) {
                counts.executed(ServerOperation.UNLOCK, rank, home, 0);
            } else {
                checker.fail(ErrorCode.NOT_HELD, MutexWord.holder(segment.part(home), offset), "");
                refuse(Frames.NO_REQUEST, home, segmentId, offset);
            }
        }
        executor.oneWayDone(request.flags());
    }

    private void probe(ProbeDecoder request) {
        int rank = request.rank();
        if (memory.isLocal(rank)) {
            replies.value(request.requestId(), memory.localRanks().state(memory.localIndex(rank)).value());
            counts.executed(ServerOperation.PROBE, 0);
        } else {
            checker.fail(ErrorCode.RANK_UNKNOWN, 0, "the rank is not on this node");
            refuse(request.requestId(), rank, 0, 0);
        }
    }

    private void askRegion(AskRegionDecoder request) {
        long requestId = request.requestId();
        long segmentId = request.segmentId();
        int rank = request.rank();
        NodeAdapter adapter = memory.segments().adapter();
        if (session.role() == Role.CHANNEL) { // what ranks are answered there is data, a value or an error
            checker.fail(ErrorCode.BAD_REQUEST, 0, "where nodes cooperate no adapter moves data");
            refuse(requestId, rank, segmentId, 0);
        } else if (memory.segments().find(segmentId) instanceof NodeSegment window
            && window.kind() == SegmentKind.WINDOW) {
            askCounter(requestId, window, rank, adapter);
        } else if (!checker.target(segmentId, rank)) {
            refuse(requestId, rank, segmentId, 0);
        } else if (adapter == null) {
            replies.region(requestId, null, 0, "", NO_ADDRESS);
        } else {
            replies.region(requestId, memory.segments().region(segmentId), checker.segment().fileOffset(rank),
                adapter.provider(), adapter.address());
        }
    }

    /** Tells the number by which writes of the adapter count at a rank's part of a window. */
    private void askCounter(long requestId, NodeSegment window, int rank, NodeAdapter adapter) {
        if (!checker.target(window.id(), rank, SegmentKind.WINDOW)) {
            refuse(requestId, rank, window.id(), 0);
        } else if (adapter == null) {
            replies.region(requestId, null, 0, "", NO_ADDRESS);
        } else {
            MemorySegment words = window.part(rank);
            pause.beginWork();
            adapter.count(window.id(), rank, () -> {
                // Full-fence addition after the write: count seen, data seen. Partner: the target's acquire load.
                SharedWord.getAndAddLong(words, WindowLayout.FENCE_COUNT, 1);
                memory.ring(rank);
            }, number -> pause.endWork(() -> replies.region(requestId, new RegionKey(0, number, 0), 0,
                adapter.provider(), adapter.address())));
        }
    }

    private void allocate(AllocateDecoder request, int extra) {
        only(Role.LOCAL_RANK, AllocateDecoder.TEMPLATE_ID);
        long requestId = request.requestId();
        long segmentId = request.segmentId();
        SegmentKind kind = SegmentKind.of(request.kind());
        AllocateDecoder.PartsDecoder parts = request.parts();
        int count = parts.count();
        int partBytes = parts.actingBlockLength();
        if (kind == null || partBytes < AllocateDecoder.PartsDecoder.sbeBlockLength()
            || extra < AllocateDecoder.PartsDecoder.sbeHeaderSize() + (long) count * partBytes) {
            throw new MalformedFrameException("allocation of " + count + " parts in " + extra + " bytes");
        }
        int[] ranks = new int[count];
        long[] lengths = new long[count];
        for (int i = 0; i < count; i++) {
            AllocateDecoder.PartsDecoder part = parts.next();
            ranks[i] = part.rank();
            lengths[i] = part.lengthInBytes();
        }
        try {
            if (!Arrays.stream(ranks).allMatch(memory::isLocal)) {
                throw new IllegalArgumentException("not all of ranks " + Arrays.toString(ranks) + " are on this node");
            }
            if (kind == SegmentKind.WINDOW && Arrays.stream(lengths).anyMatch(bytes -> bytes < WindowLayout.bytes(0))) {
                throw new IllegalArgumentException("control words of a window take " + WindowLayout.bytes(0)
                    + " bytes at least, not " + Arrays.toString(lengths));
            }
            if (kind == SegmentKind.MUTEXES
                && Arrays.stream(lengths).anyMatch(bytes -> bytes % MutexWord.STRIDE != 0)) {
                throw new IllegalArgumentException("each mutex takes " + MutexWord.STRIDE + " bytes, of which "
                    + Arrays.toString(lengths) + " are no multiples");
            }
            SegmentLayout layout = new SegmentLayout(ranks, lengths);
            memory.segments().create(segmentId, kind, layout, problem -> pause.endWork(() -> {
                if (problem == null) {
                    counts.executed(ServerOperation.ALLOCATE, Arrays.stream(lengths).sum());
                }
                answer(requestId, segmentId, problem);
            }));
            pause.beginWork();
        } catch (IOException | ArithmeticException | IllegalArgumentException e) {
            replies.error(requestId, ErrorCode.BAD_REQUEST, session.rank(), segmentId, 0, 0, 0,
                String.valueOf(e.getMessage()));
        }
    }

    private void answer(long requestId, long segmentId, IOException problem) {
        if (problem == null) {
            replies.done(requestId);
        } else if (problem instanceof SharedFile.NoSpaceException space) {
            replies.error(requestId, ErrorCode.NO_SPACE, session.rank(), segmentId, 0, space.needInBytes(),
                space.freeInBytes(), space.mount());
        } else {
            replies.error(requestId, ErrorCode.BAD_REQUEST, session.rank(), segmentId, 0, 0, 0,
                String.valueOf(problem.getMessage()));
        }
    }

    private void free(FreeDecoder request) {
        only(Role.LOCAL_RANK, FreeDecoder.TEMPLATE_ID);
        long segmentId = request.segmentId();
        long requestId = request.requestId();
        if (segmentId == CollectiveLayout.WORLD_SEGMENT) {
            checker.fail(ErrorCode.BAD_REQUEST, 0, "the inboxes of the group of all ranks stay");
            refuse(requestId, session.rank(), segmentId, 0);
        } else if (memory.segments().remove(segmentId,
            failure -> pause.endWork(() -> answer(requestId, segmentId, failure)))) {
            pause.beginWork();
            memory.mutexes().removed(segmentId);
            memory.windowLocks().removed(segmentId);
            counts.executed(ServerOperation.FREE, 0);
        } else {
            checker.fail(ErrorCode.SEGMENT_UNKNOWN, 0, "never allocated or already freed");
            refuse(requestId, session.rank(), segmentId, 0);
        }
    }

    private void abort(AbortDecoder request, int extra) {
        int header = AbortDecoder.reasonHeaderLength();
        if (extra < header || extra < header + request.reasonLength()) {
            throw new MalformedFrameException("abort with " + extra + " bytes of reason");
        }
        connections.life().abort(request.reason(), session.role() == Role.NEIGHBOUR ? session.rank() : -1);
    }

    private void refuse(long requestId, int rank, long segmentId, long offset) {
        counts.rejected();
        replies.error(requestId, checker.code(), rank, segmentId, offset, Long.BYTES, checker.bound(),
            checker.detail());
    }
}
