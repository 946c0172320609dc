package org.tributary.client.remote;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.tributary.client.adapter.RankAdapter;
import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.ChannelTraffic;
import org.tributary.client.connection.Contended;
import org.tributary.client.connection.Fence;
import org.tributary.client.connection.PendingReply;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.AdapterException;
import org.tributary.client.error.FirstFailure;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.client.link.Calls;
import org.tributary.client.link.JobFailure;
import org.tributary.client.link.Links;
import org.tributary.client.link.WaitLoop;
import org.tributary.client.node.Cause;
import org.tributary.client.node.LocalNode;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Topology;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceOperation;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WaitSlots;

/**
 * Shared by all parts of the library that send requests to servers and wait for them: connections, fences,
 * notifications, handles. For the library's own packages; programs use {@code Gas}. Thread-safe.
 */
public final class RemoteAccess implements Handle.Owner {
    private static final Cause NOTIFICATION = Cause.of(WaitKind.NOTIFICATION, 0);

    private final int rank;
    private final Topology topology;
    private final JobFailure failure;
    private final Links links;
    private final WaitLoop waitLoop;
    private final LocalNode node;
    /** Null when no adapter moves data. */
    private final RankAdapter adapter;
    private final LateGrants lateGrants = new LateGrants();
    private final NotificationCounts notifications = new NotificationCounts();
    /** To be used with the lock of the links held. */
    private final Operations operations = new Operations();
    private final ThreadLocal<Handle> handleOfThread =
        ThreadLocal.withInitial(() -> new Handle(this, operations, Handle.Kind.BLOCKING));
    private final ThreadLocal<Fence> fenceOfThread = ThreadLocal.withInitial(Fence::new);

    /** {@code adapter} is null when there is none. */
    public RemoteAccess(JobEnvironment job, JobFailure failure, Links links, LocalNode node, RankAdapter adapter) {
        this.rank = job.rank();
        this.topology = job.topology();
        this.failure = failure;
        this.links = links;
        this.waitLoop = links.waitLoop();
        this.node = node;
        this.adapter = adapter;
    }

    public int rank() {
        return rank;
    }

    public int ownNode() {
        return topology.nodeOf(rank);
    }

    public Topology topology() {
        return topology;
    }

    public Handle handle(Handle.Kind kind) {
        return new Handle(this, operations, kind);
    }

    public Links links() {
        return links;
    }

    public LocalNode node() {
        return node;
    }

    /** The adapter that moves large contiguous data; null when messages do. */
    public RankAdapter adapter() {
        return adapter;
    }

    /**
     * Hands everything issued to the kernel and to the adapter, and waits for the latter: the caller is about to wait
     * for something that other ranks do, and makes no progress meanwhile.
     */
    public void flushBeforeWaiting() {
        links.flushAll();
        links.settleAll();
    }

    public Calls calls() {
        return failure.calls();
    }

    /** Throws when this rank leaves the job, or has left it. */
    public void checkNotLeaving() {
        failure.calls().check();
    }

    public void checkRank(int rank) {
        if (rank < 0 || rank >= topology.rankCount()) {
            throw new InvalidAddressException("no such rank", rank, 0, 0, 0, topology.rankCount());
        }
    }

    /** The handle of the calling thread's blocking operations, each of which waits for it before the next begins. */
    public Handle handleOfThread() {
        return handleOfThread.get();
    }

    /** A handle that stands for operations of this process; throws when it is one of another. */
    public Handle own(Handle handle) {
        if (handle.owner() != this) {
            throw new IllegalArgumentException("the handle belongs to another rank");
        }
        return handle;
    }

    /**
     * Waits until everything that this process has sent to a rank has been executed there.
     *
     * @throws GasException what went wrong with it, if anything did
     */
    public void fence(int rank) {
        checkRank(rank);
        if (node.isLocal(rank)) {
            checkNotLeaving();
            VarHandle.fullFence(); // done by this processor; only its order is left
            return;
        }
        ServerLink link;
        Awaited fence;
        links.lock().lock();
        try {
            link = links.connectTo(topology.nodeOf(rank));
            fence = link.fence(fenceOfThread.get()); // no garbage
            if (fence.isDone()) {
                link.throwOneWayFailure();
                return;
            }
        } finally {
            links.lock().unlock();
        }
        long waitBeganNs = System.nanoTime();
        waitLoop.await(fence, link);
        fenced(waitBeganNs, rank);
        throwOneWayFailure(link);
    }

    /** A fence has waited since then, for that rank or, if -1, for all. */
    private void fenced(long waitBeganNs, int rank) {
        long ns = node.latencies().ended(LatencyKind.FENCE, waitBeganNs);
        Trace trace = node.trace();
        if (trace != null) {
            trace.answered(TraceOperation.FENCE, waitBeganNs, ns, rank, 0, 0, 0);
        }
    }

    /** Waits until everything that this process has sent to any rank has been executed. */
    public void fenceAll() {
        VarHandle.fullFence();
        links.settleAll();
        fenceAll(ServerLink::fence);
    }

    /** The same, with what programs' fences need not wait for. */
    public void fenceEverything() {
        links.settleAll();
        fenceAll(ServerLink::fenceEverything);
    }

    /**
     * Every server that may not have executed everything is asked before any is waited for. A failure is told when all
     * have executed what they were sent.
     */
    private void fenceAll(Function<ServerLink, Awaited> kind) {
        List<ServerLink> unsettled;
        links.lock().lock();
        try {
            links.flushAll();
            unsettled = links.unsettled();
            for (ServerLink link : unsettled) {
                Awaited unused = kind.apply(link);
            }
        } finally {
            links.lock().unlock();
        }
        if (unsettled.isEmpty()) {
            return;
        }
        long waitBeganNs = System.nanoTime();
        FirstFailure failures = new FirstFailure();
        unsettled.forEach(link -> failures.attempt(() -> await(link, kind)));
        fenced(waitBeganNs, -1);
        failures.rethrow();
    }

    private void await(ServerLink link, Function<ServerLink, Awaited> kind) {
        Awaited fence;
        links.lock().lock();
        try {
            fence = kind.apply(link);
        } finally {
            links.lock().unlock();
        }
        waitLoop.await(fence, link);
        throwOneWayFailure(link);
    }

    /** Throws what has gone wrong with one-way requests to any node, once. */
    public void throwOneWayFailures() {
        links.lock().lock();
        try {
            for (ServerLink link : links.unsettled()) {
                link.throwOneWayFailure();
            }
        } finally {
            links.lock().unlock();
        }
    }

    private void throwOneWayFailure(ServerLink link) {
        links.lock().lock();
        try {
            link.throwOneWayFailure();
        } finally {
            links.lock().unlock();
        }
    }

    /** Waits for every non-blocking operation that this process has issued before, on any thread. */
    public void waitAll() {
        long phase;
        boolean ended;
        links.lock().lock();
        try {
            phase = operations.phase();
            ended = operations.tryEndPhase(phase);
            links.flushAll();
        } finally {
            links.lock().unlock();
        }
        if (!ended) {
            waitLoop.await(operations.canEnd(phase), null);
            links.lock().lock();
            try {
                operations.tryEndPhase(phase);
                links.flushAll(); // what others have left in buffers meanwhile
            } finally {
                links.lock().unlock();
            }
        }
        waitLoop.await(operations.complete(phase), null);
    }

    /** How requests to servers of other nodes have left this process. */
    public ChannelTraffic channelTraffic() {
        links.lock().lock();
        try {
            return links.all().stream().map(ServerLink::channelTraffic).reduce(ChannelTraffic.NONE,
                ChannelTraffic::plus);
        } finally {
            links.lock().unlock();
        }
    }

    /** How many messages this process has exchanged with servers. */
    public Traffic traffic() {
        links.lock().lock();
        try {
            long requests = 0;
            long answers = 0;
            for (int i = 0; i < links.all().size(); i++) {
                requests += links.all().get(i).requests();
                answers += links.all().get(i).answers();
            }
            return new Traffic(requests, answers);
        } finally {
            links.lock().unlock();
        }
    }

    /** Tells a rank that everything sent to it so far is there; see {@link #waitNotify}. */
    public void notify(int rank) {
        checkRank(rank);
        if (node.isLocal(rank)) {
            if (!node.notifyRank(rank)) {
                throw new GasException("too many ranks notify rank " + rank + "; raise notify.max-sources");
            }
            return;
        }
        Trace trace = node.trace();
        long traceBeganNs = trace == null ? 0 : trace.beginOneWay(TraceOperation.SIGNAL, 0);
        links.lock().lock();
        try {
            ServerLink link = links.connectTo(topology.nodeOf(rank));
            try {
                link.writer().notifyRank(rank);
            } catch (IOException e) {
                throw link.broke(e);
            }
            link.issuedOneWay(false, true);
            link.flush();
            if (trace != null) {
                trace.endOneWay(TraceOperation.SIGNAL, traceBeganNs, rank, 0, 0);
            }
        } finally {
            links.lock().unlock();
        }
    }

    /** Waits for one more notification of a rank; what that rank sent before it is visible then. */
    public void waitNotify(int rank) {
        checkRank(rank);
        NotificationCounts.Wait wait = notifications.begin(rank);
        boolean came = false;
        try {
            flushBeforeWaiting();
            node.await(() -> node.notificationsFrom(rank, wait.seen()) >= wait.number(), rank, this::stateOf,
                NOTIFICATION, wait.number());
            came = true;
        } finally {
            notifications.end(wait, came);
        }
    }

    /** How a rank of any node is. */
    public RankState stateOf(int rank) {
        if (node.isLocal(rank)) {
            return node.stateOf(rank);
        }
        return RankState.of((int) request(topology.nodeOf(rank), (link, reply) -> link.writer().probe(reply, rank)));
    }

    /** The same; null when {@code enough} became true before there was an answer. */
    public RankState stateOf(int rank, BooleanSupplier enough) {
        if (node.isLocal(rank)) {
            return node.stateOf(rank);
        }
        OptionalLong state = request(topology.nodeOf(rank), (link, reply) -> link.writer().probe(reply, rank), enough);
        return state.isEmpty() ? null : RankState.of((int) state.getAsLong());
    }

    /**
     * Sends a request to a node's server and waits for its answer; nothing when {@code enough} became true before. Data
     * of an answer that comes later goes where it was to go.
     */
    public OptionalLong request(int targetNode, Request request, BooleanSupplier enough) {
        PendingReply reply;
        ServerLink link;
        links.lock().lock();
        try {
            link = links.connectTo(targetNode, 0);
            reply = encode(link, null, request);
        } finally {
            links.lock().unlock();
        }
        try {
            waitLoop.await(new Awaited() {
                @Override
                public boolean isDone() {
                    return reply.isDone() || enough.getAsBoolean();
                }

                @Override
                public int block(WaitSlots waits, int server) {
                    return reply.block(waits, server);
                }
            }, link);
        } catch (RuntimeException | Error e) {
            giveUp(link, reply);
            throw e;
        }
        return takeIfDone(link, reply);
    }

    private void giveUp(ServerLink link, PendingReply reply) {
        links.lock().lock();
        try {
            if (reply.isDone()) {
                link.giveBack(reply);
            } else {
                reply.abandon();
            }
        } finally {
            links.lock().unlock();
        }
    }

    /** The answer; nothing when it has not come, and nobody waits for it any more. */
    private OptionalLong takeIfDone(ServerLink link, PendingReply reply) {
        links.lock().lock();
        try {
            if (reply.isDone()) {
                return OptionalLong.of(takeValue(link, reply));
            }
            reply.abandon();
            return OptionalLong.empty();
        } finally {
            links.lock().unlock();
        }
    }

    /** Encodes a request that is answered with a value. */
    public interface Request {
        void encode(ServerLink link, PendingReply reply) throws IOException;
    }

    /** Whether a grant of a lock is to be given back. */
    public boolean isGrantDue(Contended what) {
        return lateGrants.isDue(what);
    }

    /**
     * Waits, if a grant of a lock is to be given back, until it has been: before that its server takes no other request
     * of this rank for it.
     *
     * @throws WaitInterruptedException when the calling thread is interrupted while it waits
     */
    public void awaitGiveBack(Contended what) {
        if (lateGrants.isDue(what)) {
            flushBeforeWaiting(); // the holder of the lock may wait for it
            lateGrants.await(what);
        }
    }

    /**
     * Sends a request for a lock at a rank, which another one may have, and waits for it.
     *
     * @param giveBack releases the lock when it is granted after the calling thread was interrupted; run on any thread
     * @return whether the lock is granted
     * @throws WaitInterruptedException when the calling thread is interrupted while it waits
     */
    public boolean request(Contended what, Request request, Runnable giveBack) {
        awaitGiveBack(what);
        long waitBeganNs = System.nanoTime();
        PendingReply reply;
        ServerLink link;
        links.lock().lock();
        try {
            link = links.connectTo(topology.nodeOf(what.rank()), 0);
            reply = encode(link, what, request);
        } finally {
            links.lock().unlock();
        }
        try {
            waitLoop.await(reply, link);
        } catch (WaitInterruptedException e) {
            lateGrants.expect(what, () -> {
                waitLoop.await(LateGrants.patiently(reply), link);
                return takeAnswer(link, reply) != 0;
            }, giveBack);
            throw e;
        }
        long answer = takeAnswer(link, reply);
        node.latencies().ended(LatencyKind.LOCK, waitBeganNs);
        return answer != 0;
    }

    /** Sends a request to a node's server and waits for its answer. */
    public long request(int targetNode, Request request) {
        PendingReply reply;
        ServerLink link;
        links.lock().lock();
        try {
            link = links.connectTo(targetNode, 0);
            reply = encode(link, null, request);
        } finally {
            links.lock().unlock();
        }
        return await(link, reply);
    }

    private static PendingReply encode(ServerLink link, Contended what, Request request) {
        PendingReply reply = link.expect(null);
        reply.asksFor(what);
        try {
            request.encode(link, reply);
        } catch (IOException e) {
            throw link.broke(e);
        }
        link.flush();
        return reply;
    }

    /** Waits for an answer and gives its place back. */
    public long await(ServerLink link, PendingReply reply) {
        waitLoop.await(reply, link);
        return takeAnswer(link, reply);
    }

    private long takeAnswer(ServerLink link, PendingReply reply) {
        links.lock().lock();
        try {
            return takeValue(link, reply);
        } finally {
            links.lock().unlock();
        }
    }

    private static long takeValue(ServerLink link, PendingReply reply) {
        try {
            return reply.value();
        } finally {
            link.giveBack(reply);
        }
    }

    @Override
    public boolean test(Handle handle) {
        links.lock().lock();
        try {
            links.flushSoonAll();
            if (!handle.isDone()) {
                waitLoop.pollAwaiting();
            }
            failure.check();
            handle.throwFailure();
            return handle.isDone();
        } finally {
            links.lock().unlock();
        }
    }

    @Override
    public void await(Handle handle) {
        links.lock().lock();
        try {
            links.flushAll();
            if (handle.isDone()) {
                handle.throwFailure();
                return; // as after every operation on the node
            }
        } finally {
            links.lock().unlock();
        }
        await(handle, null);
    }

    /** Waits for operations whose answers come on one connection, or on any if that is null. */
    public void await(Handle handle, ServerLink link) {
        waitLoop.await(handle, link);
        try {
            throwFailure(handle);
        } catch (AdapterException e) {
            throw explained(e);
        }
    }

    private void throwFailure(Handle handle) {
        links.lock().lock();
        try {
            handle.throwFailure();
        } finally {
            links.lock().unlock();
        }
    }

    /**
     * The exception to throw when the adapter has failed.
     *
     * @throws GasException when the target's connection has failed, too: its reason says more
     */
    AdapterException explained(AdapterException failed) {
        stateOf(failed.rank());
        return failed;
    }

    /** Ends the job, which cannot go on; what the caller is to throw. */
    public JobAbortedException abort(String why) {
        failure.end(why);
        return new JobAbortedException(why);
    }

    public boolean hasFailed() {
        return failure.hasFailed();
    }
}
