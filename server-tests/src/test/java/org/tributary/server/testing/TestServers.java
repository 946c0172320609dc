package org.tributary.server.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;
import org.tributary.testsupport.ServerThreads;
import org.tributary.testsupport.TestedProviders;
import org.tributary.wire.Membership;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.codec.Role;

/** The servers of one job in this process, without ranks: real sockets, real shared memory. */
public final class TestServers implements AutoCloseable {
    private static final AtomicInteger JOBS = new AtomicInteger();
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final long DEADLINE_S = 200;

    private final Topology topology;
    private final String jobId = "servers-" + ProcessHandle.current().pid() + "-" + JOBS.incrementAndGet();
    private final byte[] secret = ("secret of " + jobId).getBytes(StandardCharsets.UTF_8);
    private Membership membership;
    private final List<CommunicationServer> servers = new ArrayList<>();
    private final ServerLogLines log = new ServerLogLines();
    private final Path addresses;

    private TestServers(Topology topology) throws IOException {
        this.topology = topology;
        this.addresses = Files.createTempFile("tributary-servers", ".txt");
    }

    /** Starts one server for each node; they are connected with each other when this returns. */
    public static TestServers start(Topology topology, String... settings) throws IOException {
        return start(topology, CommunicationServer::start, settings);
    }

    /** The same, with servers that are started otherwise. */
    public static TestServers start(Topology topology,
        BiFunction<JobEnvironment, Settings, CommunicationServer> starting, String... settings) throws IOException {
        TestServers job = new TestServers(topology);
        String threads = ServerThreads.setting("");
        try {
            for (int node = 0; node < topology.nodeCount(); node++) {
                Settings.Builder builder = Settings.builder().set("server.bind-address=" + TestedProviders.ADDRESS)
                    .set("server.metrics-port=0").set("connect.timeout=60s").set("attach.timeout=60s").set(threads);
                for (String setting : settings) {
                    builder.set(setting);
                }
                JobEnvironment environment = JobEnvironment.builder().jobId(job.jobId).secret(job.secret)
                    .topology(topology).node(node).serversFile(job.addresses).build();
                job.membership = Membership.of(environment, builder.build());
                job.servers.add(starting.apply(environment, builder.build()));
            }
            Files.write(job.addresses, job.servers.stream().map(server -> ServerAddress.format(server.address()))
                .toList());
            for (int node = 0; node < topology.nodeCount(); node++) {
                job.awaitMetric(node, "tributary_neighbours_awaited", 0);
            }
        } catch (RuntimeException | AssertionError e) {
            job.close();
            throw e;
        }
        return job;
    }

    /** One of the servers. */
    public CommunicationServer server(int node) {
        return servers.get(node);
    }

    /** What the servers log. */
    public ServerLogLines log() {
        return log;
    }

    /** The job's name. */
    public String jobId() {
        return jobId;
    }

    /** The job's secret. */
    public byte[] secret() {
        return secret.clone();
    }

    /** What makes a process part of this job. */
    public Membership membership() {
        return membership;
    }

    /** Where a server listens for its own ranks. */
    public SocketAddress local(int node) {
        return UnixDomainSocketAddress.of(directory(node).resolve("socket"));
    }

    /** Where a server listens for everyone else. */
    public SocketAddress tcp(int node) {
        return servers.get(node).address();
    }

    /** A server's directory. */
    public Path directory(int node) {
        return servers.get(node).directory();
    }

    /** A rank's connection for requests to its own server. */
    public RawClient rank(int rank) throws IOException {
        int node = topology.nodeOf(rank);
        return connect(local(node), Role.LOCAL_RANK, rank, node);
    }

    /** A rank's lifeline. */
    public RawClient lifeline(int rank) throws IOException {
        int node = topology.nodeOf(rank);
        return connect(local(node), Role.LIFELINE, rank, node);
    }

    /** A rank's connection to another node. */
    public RawClient remote(int rank, int node) throws IOException {
        return connect(tcp(node), Role.REMOTE_RANK, rank, topology.nodeOf(rank));
    }

    /** The connection of the server of {@code node} to the server of {@code to}: may break without ending the job. */
    public RawClient peer(int node, int to) throws IOException {
        return connect(tcp(to), Role.SERVER, node, node);
    }

    /** An admitted connection of any kind. */
    public RawClient connect(SocketAddress address, Role role, int rank, int node) throws IOException {
        return RawClient.admitted(address, membership, role, rank, node, nodeAt(address));
    }

    private int nodeAt(SocketAddress address) {
        return IntStream.range(0, servers.size())
            .filter(node -> address.equals(tcp(node)) || address.equals(local(node))).findFirst().orElseThrow();
    }

    /** The Prometheus page of a server. */
    public HttpResponse<String> http(int node, String path) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + servers.get(node).metricsPort()
            + path)).timeout(Duration.ofSeconds(DEADLINE_S)).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** One metric of a server; labels beside the node in {@code labels}, as {@code operation="put"}, or empty. */
    public double metric(int node, String name, String labels) {
        try {
            String page = metrics(node);
            Matcher line = Pattern.compile("(?m)^" + name + "\\{node=\"" + node + "\""
                + (labels.isEmpty() ? "" : "," + Pattern.quote(labels)) + "} (\\S+)$").matcher(page);
            if (!line.find()) {
                throw new AssertionError("no " + name + " " + labels + " in\n" + page);
            }
            return Double.parseDouble(line.group(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** A server that does not get to it in a few seconds answers so, or closes the connection. */
    private String metrics(int node) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (true) {
            Object problem;
            try {
                HttpResponse<String> page = http(node, "/metrics");
                if (page.statusCode() == HttpURLConnection.HTTP_OK) {
                    return page.body();
                }
                problem = page.statusCode() + " " + page.body();
            } catch (IOException e) {
                problem = e;
            }
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("no metrics of node " + node + ": " + problem);
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** Waits until a metric has a value. */
    public void awaitMetric(int node, String name, double value) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        double now;
        do {
            now = metric(node, name, "");
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError(name + " is " + now + " after " + DEADLINE_S + " s, not " + value);
            }
        } while (now != value);
    }

    /** Waits for the end of a server's job. */
    public CommunicationServer.Termination termination(int node) {
        CompletableFuture<CommunicationServer.Termination> ended = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                ended.complete(servers.get(node).awaitTermination());
            } catch (InterruptedException | RuntimeException e) {
                ended.completeExceptionally(e);
            }
        });
        return ended.orTimeout(DEADLINE_S, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        servers.forEach(CommunicationServer::close);
        log.close();
        try {
            Files.deleteIfExists(addresses);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
