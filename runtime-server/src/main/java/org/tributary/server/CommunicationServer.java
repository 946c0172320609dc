package org.tributary.server;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.tributary.config.CooperationMode;
import org.tributary.config.EnumText;
import org.tributary.config.HostFacts;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.fabric.FabricChoice;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Provider;
import org.tributary.server.adapter.NodeAdapter;
import org.tributary.server.connection.BindAddress;
import org.tributary.server.connection.Connections;
import org.tributary.server.connection.Listeners;
import org.tributary.server.connection.RequestBlocks;
import org.tributary.server.connection.Rings;
import org.tributary.server.io.Encryption;
import org.tributary.server.io.ServerIo;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.server.job.JobLife;
import org.tributary.server.job.Neighbours;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.SegmentRegistry;
import org.tributary.server.memory.SegmentWorker;
import org.tributary.server.memory.TruncationWatch;
import org.tributary.server.observe.CountsWriter;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.MetricsServer;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.server.relay.Cooperation;
import org.tributary.server.relay.PeerChannels;
import org.tributary.wire.Membership;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.CountsFile;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.Presence;
import org.tributary.wire.shm.RingFile;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SharedFile;

/**
 * The communication server of one node of one job: owns the node's directory in shared memory, admits the node's ranks
 * over a Unix-domain socket and everyone else over TCP, and executes their requests. Thread-safe; several can live in
 * one process.
 */
public final class CommunicationServer implements AutoCloseable {
    /** How a job ended: cleanly when every rank has left, otherwise with a reason. */
    public record Termination(boolean clean, String reason) {
    }

    /** So long a server whose loop works may take to go around neighbours that are stopped. */
    private static final long TELL_NS = TimeUnit.SECONDS.toNanos(5);

    private final NodeDirectory directory;
    private final LockedDirectory locked;
    private final Arena arena = Arena.ofShared();
    private ServerLoops loops;
    private Presence presence;
    private SegmentWorker worker;
    /** Null when there is none. */
    private NodeAdapter adapter;
    private ServerLog log;
    private SegmentRegistry segments;
    private JobLife life;
    /** Of each loop, the main one first. */
    private List<Connections> connections = List.of();
    private Listeners listeners;
    private Channel tcp;
    private MetricsServer metricsServer;
    private boolean closed;
    /** Held while the loop is given something from outside, which it has to run before it ends. */
    private final Object door = new Object();
    private boolean doorClosed;

    private CommunicationServer(NodeDirectory directory, LockedDirectory locked) {
        this.directory = directory;
        this.locked = locked;
    }

    /**
     * Starts a server; it is ready for its ranks and peers when this returns.
     *
     * @throws ServerException with the cause when it cannot; nothing is left behind
     * @throws org.tributary.config.ConfigException with everything in the settings that does not fit the job
     */
    public static CommunicationServer start(JobEnvironment job, Settings settings) {
        return start(job, settings, SharedFile::create);
    }

    /** As {@link #start(JobEnvironment, Settings)}, with another way of reserving memory. */
    static CommunicationServer start(JobEnvironment job, Settings settings, SegmentWorker.Reserving reserving) {
        if (!Epoll.isAvailable()) {
            throw new ServerException("communication server of node " + job.node() + " cannot start: Netty's native"
                + " epoll transport, which needs Linux on x86-64 or aarch64, and itself in "
                + System.getProperty("java.library.path") + " or room in " + System.getProperty("java.io.tmpdir")
                + ", cannot be loaded: " + rootOf(Epoll.unavailabilityCause()),
                Epoll.unavailabilityCause());
        }
        String problem = Encryption.problemWith(settings);
        if (problem != null) {
            throw new ServerException("communication server of node " + job.node() + " cannot start: " + problem, null);
        }
        CooperationOptions cooperation = CooperationOptions.of(settings, job.topology());
        Optional<Provider> provider = provider(job, settings);
        NodeDirectory directory = NodeDirectory.of(settings.shmDirectory(), job.jobId(), job.node());
        CommunicationServer server;
        try {
            server = new CommunicationServer(directory, directory.create());
        } catch (FileAlreadyExistsException e) {
            throw new ServerException(directory.path() + " exists: node " + job.node() + " of job " + job.jobId()
                + " has a server already, or one that died (tributary clean removes what is stale)", e);
        } catch (IOException e) {
            throw new ServerException("communication server of node " + job.node() + " cannot make "
                + directory.path() + ": " + Shortage.describe(e, directory.path()), e);
        }
        try {
            server.open(job, settings, cooperation, provider, reserving);
            return server;
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            server.close();
            throw new ServerException("communication server of node " + job.node() + " cannot start: "
                + Shortage.describe(e), e);
        }
    }

    private static Optional<Provider> provider(JobEnvironment job, Settings settings) {
        try {
            return settings.usesFabric(job.topology().nodeCount())
                ? NodeAdapter.choose(settings, BindAddress.of(settings)) : Optional.empty();
        } catch (IOException | FabricException e) {
            throw new ServerException("communication server of node " + job.node() + " cannot start: "
                + e.getMessage(), e);
        }
    }

    private static String rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return Shortage.describe(root);
    }

    private void open(JobEnvironment job, Settings settings, CooperationOptions options,
        Optional<Provider> provider, SegmentWorker.Reserving reserving) throws IOException {
        Topology topology = job.topology();
        ControlFile control = ControlFile.create(directory.control(), arena, topology, job.node(),
            FirstFiles.notifyCapacity(settings, topology));
        int loopCount = openLoops(job, settings, options.mode());
        segments = new SegmentRegistry(directory, topology, job.node(), loopCount);
        segments.create(CollectiveLayout.WORLD_SEGMENT, SegmentKind.DATA,
            FirstFiles.worldInboxes(settings, topology, job.node()));
        CountsFile counts = counts(FirstFiles.countsCapacity(topology, job.node()));
        presence = control.present(ControlFile.SERVER_TOKEN);
        ServerMetrics metrics = new ServerMetrics(job.node());
        log = new ServerLog(job.node());
        EventLoop loop = loops.main().next();
        GuardedTasks tasks = loops.main().tasks();
        segments.usedBy(loops.tasks());
        NodeMemory memory = new NodeMemory(job, settings, control, presence, segments, metrics, log, loop,
            failure -> life.failed(failure));
        List<ServerIo> ios = loops.io(memory, metrics, log);
        ServerIo io = ios.getFirst();
        Membership membership = Membership.of(job, settings, FabricChoice.identity(provider, HostFacts.name()));
        Neighbours neighbours = new Neighbours(job, settings, membership, loop);
        life = new JobLife(job, memory, log, neighbours, new Departures(), loop, settings.jobGraceNs(),
            settings.connectTimeoutNs());
        metrics.gauge("tributary.neighbours.awaited", "Servers above and below in the tree that have not been"
            + " connected yet", neighbours, tree -> tree.tree().awaited().length);
        worker = new SegmentWorker(job.node(), loop, reserving, life::failed);
        segments.workWith(worker);
        provider.ifPresent(each -> openAdapter(each, job, settings, tasks, metrics));
        SpinThenBlock waiting = loops.main().waiting();
        PeerChannels channels = new PeerChannels(job, settings, membership, io, life, loop,
            loops.main().receiveBuffer(), waiting);
        Cooperation cooperation = options.mode() == CooperationMode.NONE ? null
            : new Cooperation(job, settings, options, memory, io, life, loop, arena, channels);
        Rings rings = options.hasRings() ? rings(topology.rankCount(job.node()), settings, metrics) : null;
        if (rings != null) {
            waiting.listenTo(rings);
        }
        RequestBlocks blocks = blocks(settings, metrics, topology.nodeCount());
        if (blocks != null) {
            waiting.listenTo(blocks); // where nodes cooperate, and have rings, there is no adapter
        }
        Connections main = new Connections(job, settings, membership, memory, io, life, cooperation, rings, blocks);
        connections = ios.stream().map(each -> each == io ? main : main.of(each)).toList();
        listeners = new Listeners(main, settings, arena, loops.serving(connections));
        haveStrangersMakeRoom(channels, neighbours);
        // Before anybody can connect: a shortage that ends this server is to be found while no other needs it.
        metricsServer = settings.serverMetricsPort() < 0 ? null : MetricsServer.start(settings, job.node(), metrics,
            loop);
        new CountsWriter(metrics, counts).begin(tasks);
        listeners.local(directory.socket());
        tcp = listeners.tcp();
        new TruncationWatch(segments.mapped(), this::abort, life::stopped,
            settings.jobGraceNs() + settings.connectTimeoutNs() + TELL_NS, System::nanoTime).begin(listeners.tasks());
        if (!job.supervised()) {
            // A launcher sees every rank exit, and may start programs that attach late or never.
            life.expectRanks(settings.attachTimeoutNs());
        }
        neighbours.join(life);
    }

    private int openLoops(JobEnvironment job, Settings settings, CooperationMode cooperation) {
        Topology topology = job.topology();
        int count = LoopCount.of(settings, cooperation, topology.nodeCount(), new LoopCount.Room(
            Runtime.getRuntime().availableProcessors(), topology.rankCount(job.node()), 1, () -> 0));
        loops = new ServerLoops(job.node(), settings, arena, failure -> life.failed(failure), this::loopEnded);
        loops.open(count);
        return count;
    }

    /** For whatever opens files or connections. */
    private void haveStrangersMakeRoom(PeerChannels channels, Neighbours neighbours) {
        worker.onShortageOfFiles(listeners::makeRoomNow);
        channels.onShortageOfFiles(listeners::makeRoomSoon);
        neighbours.onShortageOfFiles(listeners::makeRoomSoon);
    }

    private void openAdapter(Provider provider, JobEnvironment job, Settings settings, Executor tasks,
        ServerMetrics metrics) {
        adapter = NodeAdapter.open(provider, job.node(), settings, tasks, metrics, log, life::failed);
        segments.reachBy(adapter);
    }

    private RequestBlocks blocks(Settings settings, ServerMetrics metrics, int nodes) {
        if (settings.fabricChannels() == 0 || nodes == 1) {
            return null;
        }
        if (adapter == null) {
            log.hasNoChannels("network.fabric = " + EnumText.underscored(settings.networkFabric())
                + " gives this node no adapter");
            return null;
        }
        if (!adapter.noticesRequests()) {
            log.hasNoChannels("writes of the provider " + adapter.provider() + " carry no data");
            return null;
        }
        return new RequestBlocks(adapter, settings.fabricChannels(), loops.main().next(), metrics, System::nanoTime);
    }

    private CountsFile counts(int capacity) throws IOException {
        CountsFile file = CountsFile.create(directory.counts(), arena, capacity);
        segments.mapped().add(directory.counts(), file.sizeInBytes());
        return file;
    }

    private Rings rings(int localRanks, Settings settings, ServerMetrics metrics) throws IOException {
        RingFile file = RingFile.create(directory.rings(), arena, localRanks, settings.cooperationRingBytes());
        segments.mapped().add(directory.rings(), file.sizeInBytes());
        return new Rings(file, loops.main().next(), metrics);
    }

    /** Actions on connections at the end of a rank, and of the job. */
    private final class Departures implements JobLife.Departures {
        @Override
        public void rankGone(int rank) {
            connections.getFirst().rankGone(rank);
        }

        @Override
        public void allLeft() {
            connections.getFirst().sayGoodbye();
        }
    }

    /** Where peers connect. */
    public InetSocketAddress address() {
        return (InetSocketAddress) tcp.localAddress();
    }

    /** Port on which metrics are served, or -1. */
    public int metricsPort() {
        return metricsServer == null ? -1 : metricsServer.port();
    }

    /** The node's directory in shared memory. */
    public Path directory() {
        return directory.path();
    }

    /** Waits until every rank of the job has left or the job was aborted. */
    public Termination awaitTermination() throws InterruptedException {
        try {
            JobLife.End end = life.termination().get();
            return new Termination(end.clean(), end.reason());
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Ends the job with an error: tells every rank and every other server. A server that ends already has told. */
    public void abort(String reason) {
        if (!isGiven(() -> life.abort(reason, -1))) {
            log.ended("ends already, and so cannot abort the job: " + reason);
        }
    }

    /** Ends the job: all of its ranks have ended well, whether or not they have ever attached. */
    public void end() {
        if (!isGiven(() -> life.shutdown(-1))) {
            log.ended("ends already");
        }
    }

    /** Whether the loop will run it; false when it ends already. */
    private boolean isGiven(Runnable task) {
        synchronized (door) {
            if (doorClosed) {
                return false;
            }
            try {
                loops.main().next().execute(task);
                return true;
            } catch (RejectedExecutionException e) {
                return false;
            }
        }
    }

    /** Stops and removes everything that belongs to this server. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        synchronized (door) {
            doorClosed = true;
        }
        if (life != null) {
            life.stopped("the server was closed");
        }
        if (metricsServer != null) {
            metricsServer.close();
        }
        boolean stopped = listeners == null && loops == null;
        try {
            stopped = stopped || stopLoops();
        } finally {
            remove(stopped);
        }
    }

    private void remove(boolean stopped) {
        try {
            locked.close();
        } catch (IOException e) {
            throw new ServerException("cannot remove " + directory.path() + ": "
                + Shortage.describe(e, directory.path()), e);
        } finally {
            if (presence != null) {
                presence.close();
            }
            if (stopped) {
                if (segments != null) {
                    segments.close();
                }
                arena.close();
            }
        }
    }

    private boolean stopLoops() {
        boolean letsNobodyIn = listeners == null || listeners.close();
        return stopLoop() && letsNobodyIn;
    }

    /** Whatever the others hand over, the main one still hears. */
    private boolean stopLoop() {
        if (loops == null) {
            return true;
        }
        if (!connections.isEmpty()) {
            loops.disconnect(number -> () -> {
                if (number == 0) {
                    life.disconnect();
                }
                connections.get(number).disconnect();
            });
        }
        boolean othersStopped = loops.stopOthers();
        if (adapter != null) {
            adapter.close(); // before memory goes that it may write to
        }
        if (worker != null) {
            worker.close(); // while the loop still hears what has been done
        }
        return loops.stopMain() && othersStopped;
    }

    private void loopEnded(String reason) {
        if (life != null) {
            life.stopped(reason);
        }
    }
}
