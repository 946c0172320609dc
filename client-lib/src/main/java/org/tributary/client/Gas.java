package org.tributary.client;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.tributary.client.attach.Attachment;
import org.tributary.client.attach.Departure;
import org.tributary.client.bootstrap.Launched;
import org.tributary.client.bootstrap.Launchers;
import org.tributary.client.connection.ChannelTraffic;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.client.link.JobFailure;
import org.tributary.client.link.Links;
import org.tributary.client.node.LocalNode;
import org.tributary.client.remote.Handle;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.client.remote.Traffic;
import org.tributary.config.JobEnvironment;
import org.tributary.config.JvmOptions;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;

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
 * every member. An interrupt ends the wait for a mutex or for the lock of an RMA window, with a {@link
 * WaitInterruptedException}, and the opening of a connection. All other calls go on, because memory of the caller may
 * be in use, or other ranks wait for the call; the interrupt status stays set.
 */
public final class Gas implements AutoCloseable {
    private final JobEnvironment job;
    private final Topology topology;
    private final JobFailure failure;
    private final RemoteAccess access;
    private final Links links;
    private final LocalNode node;
    private final Departure departure;
    /** Null when somebody else started the servers. */
    private final Launched launched;
    private final Allocator allocator;
    private final Group world;
    private final Thread leaveAtExit;
    private final Lock closing = new ReentrantLock();

    private Gas(JobEnvironment job, Settings settings, Attachment attachment, Launched launched) {
        this.job = job;
        this.launched = launched;
        this.topology = job.topology();
        this.failure = attachment.failure();
        this.links = attachment.links();
        this.node = attachment.node();
        this.access = new RemoteAccess(job, failure, links, node, attachment.adapter());
        this.departure = new Departure(job, attachment);
        this.allocator = new Allocator(access, settings.collectiveChunk());
        this.leaveAtExit = new Thread(this::leaveAtExit, "tributary-leave-" + job.rank());
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
     * Attaches to the job that the environment describes, as {@code tributary run} or a job script has set it up.
     * Otherwise makes a job of the ranks that {@code srun --mpi=pmi2} or {@code mpirun} has launched; collective over
     * them. A process that nobody has launched becomes a job of one rank.
     *
     * @throws org.tributary.config.ConfigException when the environment is incomplete or wrong
     * @throws AttachException                      when the node's server cannot be reached or refuses, or the ranks
     *                                              cannot make a job, also because the environment of one is wrong
     */
    public static Gas attach() {
        Map<String, String> environment = System.getenv();
        if (Launchers.isDescribed(environment)) {
            JobEnvironment job = JobEnvironment.forRank(environment);
            return attach(job, settings(environment, job));
        }
        Launched launched = Launchers.makeJob(environment);
        try {
            JobEnvironment job = launched.job();
            return attach(job, settings(environment, job), launched);
        } catch (RuntimeException e) {
            launched.giveUp(e.getMessage() == null ? e.toString() : e.getMessage());
            throw e;
        }
    }

    private static Settings settings(Map<String, String> environment, JobEnvironment job) {
        return Settings.builder().environment(environment)
            .build(settings -> CooperationOptions.of(settings, job.topology()));
    }

    /**
     * Attaches to a job described by the caller.
     *
     * @throws AttachException when the node's server cannot be reached or refuses, or the rank cannot map what it
     *                         shares; the rank has not attached then, and may try again
     */
    public static Gas attach(JobEnvironment job, Settings settings) {
        return attach(job, settings, null);
    }

    private static Gas attach(JobEnvironment job, Settings settings, Launched launched) {
        try {
            return new Gas(job, settings, Attachment.open(job, settings), launched);
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

    /** How many ranks the job has, on all nodes. */
    public int rankCount() {
        return topology.rankCount();
    }

    /** Node of this rank. */
    public int node() {
        return job.node();
    }

    /** Number of nodes of the job, at least 1; fixed, and the same on all ranks. */
    public int nodeCount() {
        return topology.nodeCount();
    }

    /**
     * Node of a rank, from 0 on.
     *
     * @throws org.tributary.client.error.InvalidAddressException when the job has no such rank
     */
    public int nodeOf(int rank) {
        access.checkRank(rank);
        return topology.nodeOf(rank);
    }

    /** Whether a rank is on this rank's node. */
    public boolean sameNode(int rank) {
        access.checkRank(rank);
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
        return new MutexSet(access, allocator.allocateMutexes(group, count));
    }

    /**
     * A handle for non-blocking operations. They begin at once, except that puts and accumulates of up to 2 KiB may
     * stay here, for others to go with them, until a thread waits or tests, fences, or sends something larger to the
     * same server.
     */
    public Handle handle() {
        return access.handle(Handle.Kind.SINGLE);
    }

    /** A handle whose operations are merged into one message for each target until it is waited for. */
    public Handle aggregateHandle() {
        return access.handle(Handle.Kind.AGGREGATE);
    }

    /**
     * A handle whose large puts are sent while the caller computes: put, compute, then wait or fence. Other than with
     * other handles, the sources of puts must stay as they are until the handle has been waited for.
     */
    public Handle deferredHandle() {
        return access.handle(Handle.Kind.DEFERRED);
    }

    /**
     * Waits until everything that this process has sent to a rank has been executed there.
     *
     * @throws GasException what went wrong with it, if anything did
     */
    public void fence(int rank) {
        access.fence(rank);
    }

    /** Waits until everything that this process has sent to any rank has been executed. */
    public void fenceAll() {
        access.fenceAll();
    }

    /** Fences everything and waits until every rank has done so; collective over all ranks. */
    public void barrier() {
        fenceAll();
        world.barrier();
    }

    /** Waits for every non-blocking operation that this process has issued before, on any thread. */
    public void waitAll() {
        access.waitAll();
    }

    /** Tells a rank that everything sent to it so far is there; see {@link #waitNotify}. */
    public void notify(int rank) {
        access.notify(rank);
    }

    /** Waits for one more notification of a rank; what that rank sent before it is visible then. */
    public void waitNotify(int rank) {
        access.waitNotify(rank);
    }

    /** How many messages this process has exchanged with servers. */
    public Traffic traffic() {
        return access.traffic();
    }

    /** How many requests of this process have left by channels of the network adapter. */
    public ChannelTraffic channelTraffic() {
        return access.channelTraffic();
    }

    /** The connections through which parts of the library send requests to servers. */
    RemoteAccess access() {
        return access;
    }

    Allocator allocator() {
        return allocator;
    }

    /**
     * Leaves the job: waits until everything sent has been executed, releases the mutexes and the locks of RMA windows
     * that this rank holds, and closes. Not collective; memory of this rank stays reachable for others until every rank
     * has left.
     *
     * <p>Calls of other threads, running or new, throw {@link JobAbortedException}. This method waits for them, 5 s at
     * most, before it unmaps memory. The caller itself must have ended accesses to {@link GlobalMemory#shared}. When
     * another thread closes at the same time, this method waits until that thread has closed.
     *
     * @throws GasException when an operation that was sent has failed, or calls of other threads do not end: then the
     *                      rank has left, and memory that they may use stays mapped
     */
    @Override
    public void close() {
        boolean isInterrupted = Thread.interrupted(); // a cancelled thread leaves as any other
        closing.lock();
        try {
            if (!departure.isOver()) {
                closeOnce();
            }
        } finally {
            closing.unlock();
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void closeOnce() {
        String stuck = departure.stopCalls(allocator::refuse);
        RuntimeException problem = stuck == null ? fenceBeforeLeaving() : null;
        boolean alone = false;
        try {
            alone = leaveNow() && stuck == null;
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

    /** The process ends: failures of what is on its way are nobody's, but servers must be able to hear of the end. */
    private void leaveAtExit() {
        if (!departure.isOver() && !failure.hasFailed()) {
            links.farewell().letGoAtExit();
        }
        leaveNow();
    }

    /** Has something done before this rank says goodbye; the result has it done no more. */
    Runnable beforeGoodbye(Runnable act) {
        return departure.beforeGoodbye(act);
    }

    private boolean leaveNow() {
        boolean alone = departure.leave();
        if (launched != null) {
            launched.leave(departure::isLast);
        }
        return alone;
    }

    /**
     * Completes everything that others wait for before any rank can hear that this one has left. Returns the failure,
     * or null.
     */
    private RuntimeException fenceBeforeLeaving() {
        try {
            if (!failure.hasFailed()) {
                failure.checkMemory();
                failure.check();
                access.fenceEverything();
                links.farewell().awaitDropped();
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
}
