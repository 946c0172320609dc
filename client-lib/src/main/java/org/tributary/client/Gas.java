package org.tributary.client;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.agrona.collections.Long2LongHashMap;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.link.Awaited;
import org.tributary.client.link.Calls;
import org.tributary.client.link.JobFailure;
import org.tributary.client.link.Links;
import org.tributary.client.link.PendingReply;
import org.tributary.client.link.ServerLink;
import org.tributary.config.JobEnvironment;
import org.tributary.config.JvmOptions;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.wire.RankState;

/**
 * A rank's place in its job: where global memory, mutexes and groups come from. One object is one rank; several can
 * live in one process.
 *
 * <pre>{@code
 * try (Gas gas = Gas.attach()) {
 *     GlobalMemory memory = gas.allocate(1024);
 *     memory.putLong((gas.rank() + 1) % gas.rankCount(), 0, gas.rank());
 *     gas.barrier();
 *     System.out.println(memory.getLong(gas.rank(), 0));
 * }
 * }</pre>
 *
 * <p>Thread-safe, except that the collective calls of one group are made by one thread at a time, in the same order on
 * every member. Do not interrupt a thread that is in a call: as with every {@code SocketChannel}, that closes the
 * connection it uses.
 */
public final class Gas implements AutoCloseable {
    private final JobEnvironment job;
    private final Topology topology;
    private final JobFailure failure;
    private final Links links;
    private final LocalNode node;
    private final Departure departure;
    private final Allocator allocator;
    private final Group world;
    private final Thread leaveAtExit;
    private final Long2LongHashMap notificationsAwaited = new Long2LongHashMap(0);
    private final Long2LongHashMap notificationsSeen = new Long2LongHashMap(0);
    private final Operations operations = new Operations();
    private final ThreadLocal<Handle> handleOfThread =
        ThreadLocal.withInitial(() -> new Handle(this, Handle.Kind.BLOCKING));
    private final Lock closing = new ReentrantLock();

    private Gas(JobEnvironment job, Settings settings, Attachment attachment) {
        this.job = job;
        this.topology = job.topology();
        this.failure = attachment.failure();
        this.links = attachment.links();
        this.node = attachment.node();
        this.departure = new Departure(job, attachment);
        this.allocator = new Allocator(this, settings.collectiveChunk());
        this.leaveAtExit = new Thread(departure::leave, "tributary-leave-" + job.rank());
        try {
            this.world = allocator.worldGroup();
            Runtime.getRuntime().addShutdownHook(leaveAtExit);
        } catch (RuntimeException | Error e) {
            allocator.close();
            attachment.undo();
            throw e;
        }
    }

    /**
     * Attaches to the job that the environment describes, as the launcher or a job script has set it up.
     *
     * @throws org.tributary.config.ConfigException when the environment is incomplete or wrong
     * @throws AttachException                      when the node's server cannot be reached or refuses
     */
    public static Gas attach() {
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        return attach(job, Settings.builder().environment(System.getenv())
            .build(settings -> CooperationOptions.of(settings, job.topology())));
    }

    /**
     * Attaches to a job described by the caller.
     *
     * @throws AttachException when the node's server cannot be reached or refuses, or the rank cannot map what it
     *                         shares; the rank has not attached then, and may try again
     */
    public static Gas attach(JobEnvironment job, Settings settings) {
        try {
            return new Gas(job, settings, Attachment.open(job, settings));
        } catch (AttachException e) {
            throw e;
        } catch (IOException | GasException | OutOfMemoryError e) {
            throw new AttachException("rank " + job.rank() + " cannot attach to job " + job.jobId() + " on node "
                + job.node() + ": " + e.getMessage(), e);
        } catch (IllegalAccessError | ExceptionInInitializerError e) {
            throw new AttachException("this JVM was started without the options that Tributary needs: "
                + String.join(" ", JvmOptions.required()), e);
        }
    }

    /** This rank's number, from 0. */
    public int rank() {
        return job.rank();
    }

    /** Ranks of the job. */
    public int rankCount() {
        return topology.rankCount();
    }

    /** Node of this rank. */
    public int node() {
        return job.node();
    }

    /** Nodes of the job. */
    public int nodeCount() {
        return topology.nodeCount();
    }

    /** Node of a rank. */
    public int nodeOf(int rank) {
        checkRank(rank);
        return topology.nodeOf(rank);
    }

    /** Whether a rank is on this rank's node. */
    public boolean sameNode(int rank) {
        checkRank(rank);
        return node.isLocal(rank);
    }

    /** Which ranks are on which nodes. */
    public Topology topology() {
        return topology;
    }

    /** The group of all ranks. */
    public Group world() {
        return world;
    }

    /**
     * Allocates global memory; collective over all ranks.
     *
     * @param bytes size of this rank's part; parts may differ and be 0
     * @throws org.tributary.client.error.OutOfSharedMemoryException on every rank, when a node has not enough
     */
    public GlobalMemory allocate(long bytes) {
        return allocate(world, bytes);
    }

    /** Allocates global memory; collective over the group. Only members can be targets. */
    public GlobalMemory allocate(Group group, long bytes) {
        return allocate(group, bytes, "");
    }

    /**
     * Allocates global memory for something that the members must agree about; collective over the group.
     *
     * @param what what it is for, the same on all members: the job ends with both when they differ
     */
    public GlobalMemory allocate(Group group, long bytes, String what) {
        return allocator.allocate(group, bytes, what);
    }

    /** Creates mutexes, {@code count} of them at this rank; collective over all ranks. */
    public MutexSet createMutexes(int count) {
        return createMutexes(world, count);
    }

    /** Creates mutexes, {@code count} of them at this rank; collective over the group. */
    public MutexSet createMutexes(Group group, int count) {
        return new MutexSet(this, allocator.allocateMutexes(group, count));
    }

    /** A handle for non-blocking operations. */
    public Handle handle() {
        return new Handle(this, Handle.Kind.SINGLE);
    }

    /** The handle of the calling thread's blocking operations, each of which waits for it before the next begins. */
    Handle handleOfThread() {
        return handleOfThread.get();
    }

    /** A handle whose operations are merged into one message for each target until it is waited for. */
    public Handle aggregateHandle() {
        return new Handle(this, Handle.Kind.AGGREGATE);
    }

    /**
     * A handle whose large puts are sent while the caller computes: put, compute, then wait or fence. Other than with
     * other handles, the sources of puts must stay as they are until the handle has been waited for.
     */
    public Handle deferredHandle() {
        return new Handle(this, Handle.Kind.DEFERRED);
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
            link = links.to(topology.nodeOf(rank));
            fence = link.fence();
            if (fence.isDone()) {
                link.throwOneWayFailure();
                return;
            }
        } finally {
            links.lock().unlock();
        }
        links.await(fence, link);
        throwOneWayFailure(link);
    }

    /** Throws what has gone wrong with one-way requests to any node, once. */
    void throwOneWayFailures() {
        links.lock().lock();
        try {
            for (ServerLink link : links.unsettled()) {
                link.throwOneWayFailure();
            }
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

    private void throwOneWayFailure(ServerLink link) {
        links.lock().lock();
        try {
            link.throwOneWayFailure();
        } finally {
            links.lock().unlock();
        }
    }

    /** Waits until everything that this process has sent to any rank has been executed. */
    public void fenceAll() {
        VarHandle.fullFence();
        fenceAll(ServerLink::fence);
    }

    /** Every server that may not have executed everything is asked before any is waited for. */
    private void fenceAll(Function<ServerLink, Awaited> kind) {
        ServerLink[] unsettled;
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
        for (ServerLink link : unsettled) {
            await(link, kind);
        }
    }

    private void await(ServerLink link, Function<ServerLink, Awaited> kind) {
        Awaited fence;
        links.lock().lock();
        try {
            fence = kind.apply(link);
        } finally {
            links.lock().unlock();
        }
        links.await(fence, link);
        throwOneWayFailure(link);
    }

    /** Fences everything and waits until every rank has done so; collective over all ranks. */
    public void barrier() {
        fenceAll();
        world.barrier();
    }

    /** Waits for every non-blocking operation that this process has issued before, on any thread. */
    public void waitAll() {
        Awaited all;
        links.lock().lock();
        try {
            links.flushAll();
            all = operations.allSoFar();
        } finally {
            links.lock().unlock();
        }
        links.await(all, null);
    }

    /** To be used with the lock of the links held. */
    Operations operations() {
        return operations;
    }

    /** Throws when this rank leaves the job, or has left it. */
    void checkNotLeaving() {
        failure.calls().check();
    }

    Calls calls() {
        return failure.calls();
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
        links.lock().lock();
        try {
            ServerLink link = links.to(topology.nodeOf(rank));
            try {
                link.writer().notifyRank(rank);
            } catch (IOException e) {
                throw link.broke(e);
            }
            link.issuedOneWay(false, true);
            link.flush();
        } finally {
            links.lock().unlock();
        }
    }

    /** Waits for one more notification of a rank; what that rank sent before it is visible then. */
    public void waitNotify(int rank) {
        checkRank(rank);
        long next;
        long seen;
        synchronized (notificationsSeen) {
            next = notificationsAwaited.get(rank) + 1;
            notificationsAwaited.put(rank, next);
            seen = notificationsSeen.get(rank);
        }
        links.flushAll();
        node.await(() -> node.notificationsFrom(rank, seen) >= next, rank, this::stateOf);
        synchronized (notificationsSeen) {
            notificationsSeen.put(rank, Math.max(next, notificationsSeen.get(rank)));
        }
    }

    /** How a rank of any node is. */
    RankState stateOf(int rank) {
        if (node.isLocal(rank)) {
            return node.stateOf(rank);
        }
        return RankState.of((int) request(topology.nodeOf(rank), (link, reply) -> link.writer().probe(reply, rank)));
    }

    /** Encodes a request that is answered with a value. */
    interface Request {
        void encode(ServerLink link, PendingReply reply) throws IOException;
    }

    /** Sends a request to a node's server and waits for its answer. */
    long request(int targetNode, Request request) {
        PendingReply reply;
        ServerLink link;
        links.lock().lock();
        try {
            link = links.to(targetNode, 0);
            reply = link.expect(null);
            try {
                request.encode(link, reply);
            } catch (IOException e) {
                throw link.broke(e);
            }
            link.flush();
        } finally {
            links.lock().unlock();
        }
        return await(link, reply);
    }

    /** Waits for an answer and gives its place back. */
    long await(ServerLink link, PendingReply reply) {
        links.await(reply, link);
        links.lock().lock();
        try {
            return reply.value();
        } finally {
            link.giveBack(reply);
            links.lock().unlock();
        }
    }

    boolean test(Handle handle) {
        links.lock().lock();
        try {
            links.flushSoonAll();
            if (!handle.isDone()) {
                links.pollAwaiting();
            }
            failure.check();
            handle.throwFailure();
            return handle.isDone();
        } finally {
            links.lock().unlock();
        }
    }

    void await(Handle handle) {
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
    void await(Handle handle, ServerLink link) {
        links.await(handle, link);
        links.lock().lock();
        try {
            handle.throwFailure();
        } finally {
            links.lock().unlock();
        }
    }

    /** Ends the job, which cannot go on; what the caller is to throw. */
    JobAbortedException abort(String why) {
        failure.end(why);
        return new JobAbortedException(why);
    }

    boolean hasFailed() {
        return failure.hasFailed();
    }

    Links links() {
        return links;
    }

    LocalNode localNode() {
        return node;
    }

    Allocator allocator() {
        return allocator;
    }

    void checkRank(int rank) {
        if (rank < 0 || rank >= topology.rankCount()) {
            throw new InvalidAddressException("no such rank", rank, 0, 0, 0, topology.rankCount());
        }
    }

    /**
     * Leaves the job: waits until everything sent has been executed, releases the mutexes that this rank holds, and
     * closes. Not collective; memory of this rank stays reachable for others until every rank has left.
     *
     * <p>Calls that other threads are in, or begin, throw {@link JobAbortedException}. They are waited for, for 5 s at
     * most, before memory is unmapped; accesses to {@link GlobalMemory#shared} are the caller's own to have ended. When
     * another thread closes at the same time, this waits until that one has.
     *
     * @throws GasException when what was sent has failed, or calls of other threads do not end: then the rank has left,
     *                      and what they may use stays mapped
     */
    @Override
    public void close() {
        closing.lock();
        try {
            if (!departure.isOver()) {
                closeOnce();
            }
        } finally {
            closing.unlock();
        }
    }

    private void closeOnce() {
        String stuck = departure.stopCalls(allocator::refuse);
        RuntimeException problem = stuck == null ? fenceBeforeLeaving() : null;
        boolean alone = stuck == null;
        try {
            alone &= departure.leave();
        } finally {
            if (alone) {
                allocator.close();
                node.close();
            }
            removeHook();
        }
        if (!alone) {
            throw departure.stillInUse(stuck);
        }
        if (problem != null) {
            throw problem;
        }
    }

    /** What others wait for has happened before anybody can hear that this rank has left. Returns what has failed. */
    private RuntimeException fenceBeforeLeaving() {
        try {
            checkMemory();
            if (!failure.hasFailed()) {
                fenceAll(ServerLink::fenceEverything);
                links.awaitDropped();
            }
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(leaveAtExit);
        } catch (IllegalStateException e) {
            // The process is ending already; the hook finds nothing left to do.
            failure.hasFailed();
        }
    }

    private void checkMemory() {
        if (!failure.hasFailed()) {
            failure.checkMemory();
            failure.check();
        }
    }
}
