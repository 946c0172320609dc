package org.tributary.launcher.node;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.job.Signals;
import org.tributary.server.CommunicationServer;
import org.tributary.server.CommunicationServer.Termination;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.shm.NodeDirectory;

/** Starts the server of one node, says where it listens, and turns the way it ends into an exit code. */
public final class ServerProcess {
    /** Resolving names may take long; the way to one of these is as good as the way to another. */
    private static final int MAX_OTHERS_ASKED = 3;

    private final JobEnvironment job;
    private final Settings settings;
    private final Path addressFile;
    private final boolean supervised;
    private final CompletableFuture<End> end = new CompletableFuture<>();
    /** The exit code that the first signal asks for, or 0. */
    private final AtomicInteger signalCode = new AtomicInteger();

    /** {@code addressFile} is null when nobody asked for it. */
    public ServerProcess(JobEnvironment job, Settings settings, Path addressFile, boolean supervised) {
        this.job = job;
        this.settings = settings;
        this.addressFile = addressFile;
        this.supervised = supervised;
    }

    /** A thread that dies of an error may be the one that was to end this process: end it then, whatever is left. */
    private static void endOnError(Thread thread, Throwable error) {
        try {
            System.err.println("tributary server: " + thread.getName() + " died of " + error);
        } finally {
            Runtime.getRuntime().halt(ExitCodes.FAILURE);
        }
    }

    /** Returns the exit code when the server has ended and nothing of it is left. */
    public int run() throws IOException, InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler(ServerProcess::endOnError);
        if (!supervised) {
            // What dead jobs have left on this machine; a launcher has done that for the servers that it starts.
            NodeDirectory.sweep(settings.shmDirectory());
            JobFiles.sweep();
        }
        try (CommunicationServer server = CommunicationServer.start(job, settings)) {
            Signals.receive(signal -> endBySignal(server, signal));
            Supervisor supervisor = new Supervisor(job, settings.jobGraceNs(), new LauncherOrders(server));
            if (supervised) {
                Signals.ignoreInterrupt();
                supervisor.listen(System.in);
            }
            announce(server);
            Thread.ofPlatform().daemon().name("job-end").start(() -> awaitTermination(server));
            End ended = end.get();
            report(ended);
            supervisor.awaitReaping();
            return ended.exitCode;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private void announce(CommunicationServer server) throws IOException {
        String address = new AdvertisedAddress(ThisMachine.ports(), ThisMachine::ownAddressTowards,
            warning -> System.err.println("tributary server of node " + job.node() + ": " + warning))
            .of(server.address(), knownOthers(), job.topology().nodeCount() == 1);
        if (addressFile != null) {
            Path unfinished = addressFile.resolveSibling(addressFile.getFileName() + ".new");
            Files.writeString(unfinished, address + "\n");
            Files.move(unfinished, addressFile, StandardCopyOption.ATOMIC_MOVE);
        }
        String metrics = server.metricsPort() < 0 ? "" : ", metrics port " + server.metricsPort();
        System.out.println("tributary server ready: node " + job.node() + ", address " + address
            + ", pid " + ProcessHandle.current().pid() + metrics);
        System.out.flush();
    }

    /** Other servers, where a job script has said beforehand where they listen. */
    private List<InetSocketAddress> knownOthers() {
        List<String> known = job.servers();
        return IntStream.range(0, known.size()).filter(node -> node != job.node())
            .mapToObj(node -> ServerAddress.parse(known.get(node))).limit(MAX_OTHERS_ASKED).toList();
    }

    private void awaitTermination(CommunicationServer server) {
        try {
            Termination termination = server.awaitTermination();
            int code = signalCode.get() != 0 ? signalCode.get() : ExitCodes.FAILURE;
            end.complete(new End(termination.clean() ? 0 : code, termination.reason()));
        } catch (InterruptedException e) {
            end.completeExceptionally(e);
        }
    }

    private void endBySignal(CommunicationServer server, int signal) {
        String reason = "the server of node " + job.node() + " received signal " + signal;
        signalCode.compareAndSet(0, ExitCodes.ofSignal(signal));
        server.abort(reason);
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

    /** What the launcher can ask for, on the supervisor's thread. */
    private final class LauncherOrders implements Supervisor.Orders {
        private final CommunicationServer server;

        private LauncherOrders(CommunicationServer server) {
            this.server = server;
        }

        @Override
        public void end() {
            server.end();
        }

        @Override
        public void abort(String reason) {
            server.abort(reason);
        }
    }
}
