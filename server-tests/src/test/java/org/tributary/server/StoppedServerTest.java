package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer.Termination;
import org.tributary.server.testing.ServerLogLines;
import org.tributary.testsupport.Stopping;
import org.tributary.wire.ServerAddress;

/** An inner server of the tree is stopped, in a process of its own: the end of the job reaches the others around it. */
class StoppedServerTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final int NODES = 12;
    /** Below node 0 and above nodes 9, 10 and 11. */
    private static final int STOPPED = 1;
    private static final long GRACE_S = 1;
    private static final long DEADLINE_S = 200;

    @TempDir
    Path directory;

    private final ServerLogLines log = new ServerLogLines();
    private final List<CommunicationServer> servers = new ArrayList<>();
    private Process process;
    private BufferedReader said;

    private static JobEnvironment environment(Path directory, int node) {
        int[] ranks = new int[NODES];
        Arrays.fill(ranks, 1);
        return JobEnvironment.builder().jobId("stopped-server").topology(Topology.of(ranks)).node(node)
            .secret("0123456789abcdef".getBytes(StandardCharsets.UTF_8))
            .serversFile(directory.resolve("servers")).build();
    }

    private static Settings settings(Path directory) {
        return Settings.builder().set("server.bind-address=127.0.0.1").set("shm.directory=" + directory)
            .set("server.metrics-port=0").set("job.grace=" + GRACE_S + "s").set("collective.chunk=64")
            .set("attach.timeout=10min").build(); // no rank comes, and servers may start slowly
    }

    /** The server that can be stopped: says where it is, and how the job has ended. */
    static final class Stoppable {
        private Stoppable() {
        }

        public static void main(String[] arguments) throws InterruptedException {
            Path directory = Path.of(arguments[0]);
            try (CommunicationServer server = CommunicationServer.start(environment(directory, STOPPED),
                settings(directory))) {
                System.out.println(ServerAddress.format(server.address()));
                System.out.println(server.awaitTermination());
            }
        }
    }

    @BeforeEach
    void start() throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(option -> option.startsWith("--"))
            .forEach(command::add);
        command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
            Stoppable.class.getName(), directory.toString()));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        List<String> addresses = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            servers.add(node == STOPPED ? null
                : CommunicationServer.start(environment(directory, node), settings(directory)));
            addresses.add(node == STOPPED ? said.readLine() : ServerAddress.format(servers.get(node).address()));
        }
        Path complete = Files.write(directory.resolve("servers.new"), addresses);
        Files.move(complete, directory.resolve("servers"));
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        for (CommunicationServer server : servers) {
            while (server != null && !hasFoundItsNeighbours(server)) {
                assertTrue(System.nanoTime() < deadlineNs, () -> "servers do not find each other: " + log.with(""));
                Thread.sleep(5);
            }
        }
        Stopping.stop(process.pid());
    }

    private static boolean hasFoundItsNeighbours(CommunicationServer server) throws Exception {
        try {
            return HTTP.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.metricsPort() + "/metrics"))
                .timeout(Duration.ofSeconds(DEADLINE_S)).build(), HttpResponse.BodyHandlers.ofString()).body()
                .lines().anyMatch(line -> line.startsWith("tributary_neighbours_awaited{") && line.endsWith("} 0.0"));
        } catch (IOException e) {
            return false; // it did not get to it in time
        }
    }

    @AfterEach
    void stop() {
        servers.stream().filter(server -> server != null).forEach(CommunicationServer::close);
        process.destroyForcibly();
        log.close();
    }

    private Termination termination(int node) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return servers.get(node).awaitTermination();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }, task -> Thread.ofPlatform().daemon().start(task)).orTimeout(DEADLINE_S, TimeUnit.SECONDS).join();
    }

    private void assertEndsEverywhere(Termination expected) throws Exception {
        for (int node = 0; node < NODES; node++) {
            if (node != STOPPED) {
                int each = node;
                assertEquals(expected, termination(node), () -> "node " + each + ": " + log.with(""));
            }
        }
        assertTrue(process.isAlive());
        Stopping.goOn(process.pid());
        assertEquals(expected.toString(), said.readLine());
        assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS));
        assertTrue(log.with("is gone").isEmpty(), () -> log.with("").toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 9})
    void shouldTellEveryoneWhoRunsWhenJobFailsAtAnyNode(int failing) throws Exception {
        servers.get(failing).abort("enough");
        assertEndsEverywhere(new Termination(false, "enough"));
    }

    @Test
    void shouldEndEveryoneWhoRunsWhenAllRanksHaveLeft() throws Exception {
        servers.get(0).end();
        assertEndsEverywhere(new Termination(true, "every rank has left"));
    }
}
