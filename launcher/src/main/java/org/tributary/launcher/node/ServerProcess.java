package org.tributary.launcher.node;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.job.LastResort;
import org.tributary.launcher.job.QuitSignal;
import org.tributary.launcher.job.Signals;
import org.tributary.server.CommunicationServer;
import org.tributary.server.CommunicationServer.Termination;
import org.tributary.wire.ReadyLine;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.shm.NodeDirectory;

/**
 * Starts the server of a node, or servers of several nodes on one machine, says where they listen, and turns the way
 * they end into an exit code.
 */
public final class ServerProcess {
    /** Resolving names may take long; the way to one of these is as good as the way to another. */
    private static final int MAX_OTHERS_ASKED = 3;

    private final JobEnvironment job;
    private final int nodes;
    private final Settings settings;
    private final Path addressFile;
    private final boolean supervised;
    /** Signals come on another thread. */
    private final List<CommunicationServer> servers = new CopyOnWriteArrayList<>();
    /** The first one that asks for the end, or 0. */
    private final AtomicInteger endingSignal = new AtomicInteger();
    /** Null before it was asked for. */
    private List<InetSocketAddress> others;

    /**
     * A process that has not started its servers.
     *
     * @param job         the node of its first server
     * @param nodes       how many servers there are, of consecutive nodes
     * @param addressFile takes the address of the first; null when nobody asked for it
     */
    public ServerProcess(JobEnvironment job, int nodes, Settings settings, Path addressFile, boolean supervised) {
        this.job = job;
        this.nodes = nodes;
        this.settings = settings;
        this.addressFile = addressFile;
        this.supervised = supervised;
    }

    /** Returns the exit code when the server has ended and nothing of it is left. */
    public int run() throws IOException, InterruptedException {
        LastResort.install("tributary server");
        logByJava();
        if (!supervised) {
            // What dead jobs have left on this machine; a launcher has done that for the servers that it starts.
            NodeDirectory.sweep(settings.shmDirectory());
            JobFiles.sweep();
        }
        try {
            return serve();
        } finally {
            servers.forEach(CommunicationServer::close);
        }
    }

    /** Libraries would look for others through all jars first. */
    private static void logByJava() {
        io.netty.util.internal.logging.InternalLoggerFactory.setDefaultFactory(
            io.netty.util.internal.logging.JdkLoggerFactory.INSTANCE);
        io.micrometer.common.util.internal.logging.InternalLoggerFactory.setDefaultFactory(
            io.micrometer.common.util.internal.logging.JdkLoggerFactory.INSTANCE);
    }

    private int serve() throws IOException, InterruptedException {
        // Before there is anything that the default action of a signal would leave behind.
        Signals.receive(this::endBySignal);
        if (supervised) {
            Signals.ignoreInterrupt();
        }
        startServers();
        Supervisor supervisor = new Supervisor(job, nodes, settings.jobGraceNs(), new LauncherOrders());
        if (supervised) {
            QuitSignal.silence();
            supervisor.listen(System.in);
        }
        List<CompletableFuture<End>> ends = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            CommunicationServer server = servers.get(i);
            announce(server, job.node() + i);
            CompletableFuture<End> end = new CompletableFuture<>();
            ends.add(end);
            Thread.ofPlatform().daemon().name("job-end").start(() -> awaitTermination(server, end));
        }
        End first = null;
        for (CompletableFuture<End> end : ends) {
            End next = await(end);
            first = first == null || first.exitCode == 0 ? next : first;
        }
        report(first);
        supervisor.awaitReaping();
        return first.exitCode;
    }

    /** A signal that comes meanwhile ends those that have started, and those that start after it. */
    private void startServers() {
        Settings decided = OwnLoops.decided(job, nodes, settings, this::knownOthers);
        String problem = OwnLoops.problem(decided, nodes, Runtime.getRuntime().availableProcessors());
        if (problem != null) {
            warn(job.node(), problem);
        }
        for (int i = 0; i < nodes; i++) {
            CommunicationServer server =
                CommunicationServer.start(i == 0 ? job : job.ofNode(job.node() + i), decided.countedUp(i));
            servers.add(server);
            if (endingSignal.get() != 0) {
                server.abort(reason(endingSignal.get()));
            }
        }
    }

    private static End await(CompletableFuture<End> end) throws InterruptedException {
        try {
            return end.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static void warn(int node, String text) {
        System.err.println("tributary server of node " + node + ": " + text);
    }

    private void announce(CommunicationServer server, int node) throws IOException {
        // Asking for all interfaces takes a while, and only a server that listens on every address has to choose.
        List<AdvertisedAddress.NetworkPort> ports =
            server.address().getAddress().isAnyLocalAddress() ? ThisMachine.ports() : List.of();
        String address = new AdvertisedAddress(ports, ThisMachine::ownAddressTowards, warning -> warn(node, warning))
            .of(server.address(), knownOthers(), job.topology().nodeCount() == 1);
        if (addressFile != null && node == job.node()) {
            Path unfinished = addressFile.resolveSibling(addressFile.getFileName() + ".new");
            Files.writeString(unfinished, address + "\n");
            Files.move(unfinished, addressFile, StandardCopyOption.ATOMIC_MOVE);
        }
        String metrics = server.metricsPort() < 0 ? "" : ", metrics port " + server.metricsPort();
        System.out.println(new ReadyLine(node, address).text(ProcessHandle.current().pid()) + metrics);
        System.out.flush();
    }

    /** Other servers, where a job script has said beforehand where they listen. */
    private List<InetSocketAddress> knownOthers() {
        if (others == null) {
            List<String> known = job.servers();
            others = IntStream.range(0, known.size()).filter(node -> node != job.node())
                .mapToObj(node -> ServerAddress.parse(known.get(node))).limit(MAX_OTHERS_ASKED).toList();
        }
        return others;
    }

    private void awaitTermination(CommunicationServer server, CompletableFuture<End> end) {
        try {
            Termination termination = server.awaitTermination();
            int signal = endingSignal.get();
            int code = signal != 0 ? ExitCodes.ofSignal(signal) : ExitCodes.FAILURE;
            end.complete(new End(termination.clean() ? 0 : code, termination.reason()));
        } catch (InterruptedException e) {
            end.completeExceptionally(e);
        }
    }

    private void endBySignal(int signal) {
        endingSignal.compareAndSet(0, signal);
        servers.forEach(server -> server.abort(reason(signal)));
    }

    private String reason(int signal) {
        return "the server of node " + job.node() + " received signal " + signal;
    }

    /** To the launcher, which has a better reason or passes this one on; to the operator where there is no launcher. */
    private void report(End ended) {
        if (ended.exitCode == 0) {
            return;
        }
        if (supervised) {
            System.out.println("tributary server aborted: " + ended.reason);
            System.out.flush();
        } else {
            System.err.println("tributary: node " + job.node() + ": job aborted: " + ended.reason);
        }
    }

    private record End(int exitCode, String reason) {
    }

    /** Obeys the launcher, on the supervisor's thread. */
    private final class LauncherOrders implements Supervisor.Orders {
        @Override
        public void end() {
            servers.forEach(CommunicationServer::end);
        }

        @Override
        public void abort(String reason) {
            servers.forEach(server -> server.abort(reason));
        }
    }
}
