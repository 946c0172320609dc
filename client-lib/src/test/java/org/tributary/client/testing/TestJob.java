package org.tributary.client.testing;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.tributary.client.Gas;
import org.tributary.client.SmallTransfers;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.fabric.Fabric;
import org.tributary.server.CommunicationServer;
import org.tributary.testsupport.ServerThreads;
import org.tributary.testsupport.TestedProviders;
import org.tributary.wire.ServerAddress;

/**
 * A job whose servers and ranks live in this process: real sockets, real shared memory, each rank a thread with a
 * {@link Gas} of its own. Ranks of different nodes reach each other only through servers, as always.
 */
public final class TestJob implements AutoCloseable {
    /** What one rank does. */
    public interface RankProgram {
        /** Runs on a thread of its own. */
        void run(Gas gas) throws Exception;
    }

    private static final AtomicInteger JOBS = new AtomicInteger();
    private static final long DEADLINE_S = 240;
    private static final List<String> ADAPTERS = List.of("tcp", "shm", "verbs");
    /** What an adapter moves where a test is to move much by it. */
    private static final int SMALLEST = 100;

    private final Topology topology;
    private final Settings settings;
    private final String jobId;
    private final byte[] secret;
    private final Path serversFile;
    private final List<CommunicationServer> servers = new ArrayList<>();
    private final Network network;
    /** What an adapter moves; 0 for as much as elsewhere. */
    private int smallest;

    private TestJob(Topology topology, Settings settings, Network network) throws IOException {
        this.network = network;
        this.topology = topology;
        this.settings = settings;
        this.jobId = "test-" + ProcessHandle.current().pid() + "-" + JOBS.incrementAndGet();
        this.secret = ("secret of " + jobId + " for tests").getBytes(java.nio.charset.StandardCharsets.UTF_8);
        this.serversFile = Files.createTempFile("tributary-servers", ".txt");
    }

    /**
     * Starts the servers of a job.
     *
     * @param layout how many ranks each node has; then, if nodes cooperate in groups of two, their mode, perhaps
     *     {@code node} for that scope, and {@code direct} if ranks may leave the route; {@code encrypted} if what
     *     leaves a node is, or {@code ktls} if the kernel does that; or {@code tcp}, {@code shm} or {@code verbs} if
     *     that provider of libfabric moves data from 100 bytes on, which skips the test where there is no libfabric,
     *     and {@code channels} if requests go by channels of it, two for each server; with spaces between
     */
    public static TestJob start(String layout, String... settings) {
        return start(layout, null, settings);
    }

    private static TestJob start(String layout, Network network, String... settings) {
        List<String> words = new ArrayList<>(List.of(layout.split(" ")));
        Topology topology = topology(layout);
        String encryption = words.remove("encrypted") ? "aes-gcm" : words.remove("ktls") ? "ktls" : null;
        if (encryption != null) {
            return start(String.join(" ", words), network, Stream.concat(
                Stream.of("network.encryption=" + encryption), Stream.of(settings)).toArray(String[]::new));
        }
        String fabric = ADAPTERS.stream().filter(words::remove).findFirst().orElse(null);
        if (fabric != null) {
            Assumptions.assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
            String channels = words.remove("channels") ? "fabric.channels=2" : "fabric.channels=0";
            TestJob job = start(String.join(" ", words), network, Stream.concat(Stream.of("network.fabric=" + fabric,
                channels), Stream.of(settings)).toArray(String[]::new));
            job.smallest = SMALLEST;
            return job;
        }
        return words.size() == 1 ? start(topology, network, settings)
            : start(topology, network, Stream.concat(Stream.of("cooperation.group-size=2",
                "cooperation.mode=" + words.get(1),
                "cooperation.scope=" + (words.contains("node") ? "node" : "process"),
                "cooperation.direct-connections=" + (words.contains("direct") ? 8 : 0)),
                Stream.of(settings)).toArray(String[]::new));
    }

    /** How many ranks each node has in such a layout. */
    public static Topology topology(String layout) {
        return Topology.parse(layout.split(" ", 2)[0]);
    }

    /** Starts the servers of a job. */
    public static TestJob start(Topology topology, String... settings) {
        return start(topology, null, settings);
    }

    /** The same on a network on which somebody listens, who is closed with the job. */
    public static TestJob startOn(Wiretap wiretap, String layout, String... settings) {
        return start(layout, wiretap, settings);
    }

    /** The same with servers at an address of this machine that is not the one from which it is reached. */
    public static TestJob startAt(String host, String layout, String... settings) {
        Network network = new Network() {
            @Override
            public InetSocketAddress to(InetSocketAddress server) {
                return new InetSocketAddress(host, server.getPort());
            }

            @Override
            public void close() {
                // There is nothing of it.
            }
        };
        return start(layout, network, Stream.concat(Stream.of("server.bind-address=0.0.0.0"), Stream.of(settings))
            .toArray(String[]::new));
    }

    /** The same on a network on which connections are held up now and then, each by itself. */
    public static TestJob startSlow(Topology topology, String... settings) {
        return start(topology, new SlowNetwork(), settings);
    }

    /** The same on a network on which nothing comes any more on connections that have carried more than 1 MiB. */
    public static TestJob startStalling(String layout, String... settings) {
        return start(layout, new StallingNetwork(), settings);
    }

    private static TestJob start(Topology topology, Network network, String... settings) {
        Settings.Builder builder = Settings.builder().set("server.bind-address=" + TestedProviders.ADDRESS)
            .set("job.on-failure=throw").set("connect.timeout=60s") // the machine may be busy, or emulated
            .set(ServerThreads.setting(topology.toString()));
        for (String setting : settings) {
            builder.set(setting);
        }
        try {
            TestJob job = new TestJob(topology, builder.build(), network);
            job.startServers();
            return job;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void startServers() throws IOException {
        try {
            StringBuilder addresses = new StringBuilder();
            for (int node = 0; node < topology.nodeCount(); node++) {
                servers.add(CommunicationServer.start(environment(node, -1), settings));
                InetSocketAddress address = servers.get(node).address();
                addresses.append(ServerAddress.format(network == null ? address : network.to(address)))
                    .append('\n');
            }
            Path complete = Files.writeString(
                serversFile.resolveSibling(serversFile.getFileName() + ".new"), addresses);
            Files.move(complete, serversFile, java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private JobEnvironment environment(int node, int rank) {
        JobEnvironment.Builder builder = builder(node);
        return rank < 0 ? builder.build() : builder.rank(rank).build();
    }

    private JobEnvironment.Builder builder(int node) {
        return JobEnvironment.builder().jobId(jobId).secret(secret).topology(topology).node(node)
            .serversFile(serversFile);
    }

    /** What a rank of this job learns from its environment. */
    public JobEnvironment environmentOf(int rank) {
        return environment(topology.nodeOf(rank), rank);
    }

    /** The same for one that records in a folder. */
    public JobEnvironment environmentOf(int rank, Path traces) {
        return builder(topology.nodeOf(rank)).rank(rank).trace(traces.toString()).build();
    }

    /** The settings of this job. */
    public Settings settings() {
        return settings;
    }

    /** The metrics of a node's server; one that does not get to it in a few seconds is asked again. */
    public String metrics(int node) {
        URI page = URI.create("http://127.0.0.1:" + server(node).metricsPort() + "/metrics");
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (true) {
            Object problem;
            try (HttpClient client = HttpClient.newHttpClient()) {
                HttpResponse<String> answer = client.send(HttpRequest.newBuilder(page)
                    .timeout(Duration.ofSeconds(DEADLINE_S)).build(), HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() == HttpURLConnection.HTTP_OK) {
                    return answer.body();
                }
                problem = answer.statusCode() + " " + answer.body();
            } catch (IOException e) {
                problem = e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("no metrics of node " + node + ": " + problem);
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** The server of a node. */
    public CommunicationServer server(int node) {
        return servers.get(node);
    }

    /** Attaches one rank; the caller closes it. */
    public Gas attach(int rank) {
        Gas gas = Gas.attach(environmentOf(rank), settings);
        if (smallest > 0) {
            SmallTransfers.byAdapter(gas, smallest);
        }
        return gas;
    }

    /** Runs a program on every rank and waits for all; throws the first failure. A job runs one program. */
    public void run(RankProgram program) {
        run(program, DEADLINE_S);
    }

    /** The same with a program that may take so many seconds. */
    public void run(RankProgram program, long deadlineS) {
        ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofPlatform().name("rank-", 0).daemon(true).factory());
        try {
            ExecutorCompletionService<Void> ended = new ExecutorCompletionService<>(threads);
            List<Future<Void>> ranks = IntStream.range(0, topology.rankCount())
                .mapToObj(rank -> ended.submit(() -> {
                    try (Gas gas = attach(rank)) {
                        program.run(gas);
                    }
                    return null;
                })).toList();
            awaitAll(ended, ranks, deadlineS);
            awaitServers();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Every rank has left: the servers end by themselves. */
    private void awaitServers() {
        for (CommunicationServer server : servers) {
            CompletableFuture<CommunicationServer.Termination> ended = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    ended.complete(server.awaitTermination());
                } catch (InterruptedException | RuntimeException e) {
                    ended.completeExceptionally(e);
                }
            });
            if (!ended.orTimeout(DEADLINE_S, TimeUnit.SECONDS).join().clean()) {
                throw new AssertionError("a server did not end cleanly: " + ended.join());
            }
        }
    }

    private void awaitAll(ExecutorCompletionService<Void> ended, List<Future<Void>> ranks, long deadlineS) {
        Throwable first = null;
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(deadlineS);
        for (int left = ranks.size(); left > 0 && first == null; left--) {
            Future<Void> next = next(ended, deadlineNs);
            if (next == null) {
                throw new AssertionError("ranks still run after " + deadlineS + " s:\n" + stacks());
            }
            first = failureOf(next);
            if (first != null && left > 1) {
                servers.forEach(server -> server.abort("another rank of the test failed"));
            }
        }
        for (Future<Void> rank : ranks) {
            Throwable failure = failureOf(rank);
            first = first == null ? failure : first;
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException exception) {
            throw exception;
        }
        if (first != null) {
            throw new IllegalStateException(first);
        }
    }

    /** The next rank that has ended, or null when none does in time. */
    private static Future<Void> next(ExecutorCompletionService<Void> ended, long deadlineNs) {
        try {
            return ended.poll(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static String stacks() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            text.append(thread.getName()).append('\n');
            for (StackTraceElement frame : frames) {
                text.append("    ").append(frame).append('\n');
            }
        });
        return text.toString();
    }

    private static Throwable failureOf(Future<Void> rank) {
        try {
            rank.get(DEADLINE_S, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (TimeoutException e) {
            return new AssertionError("a rank still runs:\n" + stacks());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e;
        }
    }

    /** Stops the servers. */
    @Override
    public void close() {
        servers.forEach(CommunicationServer::close);
        if (network != null) {
            network.close();
        }
        try {
            Files.deleteIfExists(serversFile);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
