package org.tributary.server.job;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.wire.Membership;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.codec.Role;

/**
 * The end of a job of many nodes, on real sockets: whole servers at the root, in the middle and at the end of the tree,
 * and {@link StubServer}s in all other places.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class StubTreeTest {
    private static final int NODES = 200;
    private static final int MANY_NODES = Integer.getInteger("campaign.nodes", 3000);
    private static final long DEADLINE_S = 120;
    private static final byte[] SECRET = new byte[32];

    @TempDir
    private Path directory;

    private final String jobId = "tree-" + ProcessHandle.current().pid() + "-" + System.nanoTime() % 1_000_000;
    private final Settings settings = Settings.builder().set("server.bind-address=127.0.0.1").set("job.grace=10min")
        .set("attach.timeout=5min")
        .set("server.metrics-port=-1").set("collective.chunk=64").set("server.receive-buffer=4k").build();
    private final Map<Integer, CommunicationServer> servers = new TreeMap<>();
    private final Map<Integer, StubServer> stubs = new TreeMap<>();
    private Topology topology;
    private Path file;

    private JobEnvironment.Builder job(int node) {
        return JobEnvironment.builder().jobId(jobId).secret(SECRET).topology(topology).node(node);
    }

    private void start(int nodes) throws IOException {
        int[] ranks = new int[nodes];
        Arrays.fill(ranks, 1);
        topology = Topology.of(ranks);
        file = directory.resolve("servers");
        for (int node : new int[] {0, 1, nodes - 1}) {
            servers.put(node, CommunicationServer.start(job(node).serversFile(file).build(), settings));
        }
        List<String> addresses = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            if (!servers.containsKey(node)) {
                stubs.put(node, new StubServer(node));
            }
            addresses.add(ServerAddress.format(servers.containsKey(node) ? servers.get(node).address()
                : stubs.get(node).address()));
        }
        Files.write(file, addresses);
        stubs.forEach((node, stub) -> stub.join(job(node).servers(addresses).build(), settings));
        await(() -> stubs.values().stream().allMatch(stub -> stub.awaited() == 0 || stub.end().isDone()));
        stubs.values().forEach(stub -> assertFalse(stub.end().isDone(), () -> stub.end().join()));
    }

    private static void await(BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadlineNs < 0, "in time");
            LockSupport.parkNanos(1_000_000);
        }
    }

    @AfterEach
    void stop() throws IOException {
        for (StubServer stub : stubs.values()) {
            stub.close();
        }
        servers.values().forEach(CommunicationServer::close);
        stubs.clear();
        servers.clear();
        Files.deleteIfExists(file); // servers that start read it at once
    }

    /** Everybody but {@code gone} has heard the same. */
    private void assertAllHear(String reason, int gone) throws InterruptedException {
        for (Map.Entry<Integer, StubServer> stub : stubs.entrySet()) {
            if (stub.getKey() != gone) {
                String heard = stub.getValue().end().orTimeout(DEADLINE_S, TimeUnit.SECONDS).join();
                assertTrue(heard.startsWith(reason), stub.getKey() + ": " + heard);
            }
        }
        for (Map.Entry<Integer, CommunicationServer> server : servers.entrySet()) {
            if (server.getKey() != gone) {
                String heard = server.getValue().awaitTermination().reason();
                assertTrue(heard.startsWith(reason), server.getKey() + ": " + heard);
            }
        }
        int sent = stubs.values().stream().mapToInt(StubServer::sent).sum();
        int most = stubs.values().stream().mapToInt(StubServer::sent).max().orElseThrow();
        assertTrue(sent <= 3 * topology.nodeCount() && most <= ServerTree.ARITY + 2, sent + " messages, " + most
            + " of one server");
    }

    private double secondsUntilAllHearOfTheDeathOf(int gone) throws IOException, InterruptedException {
        long beganNs = System.nanoTime();
        if (servers.containsKey(gone)) {
            servers.get(gone).close();
        } else {
            stubs.get(gone).close();
        }
        assertAllHear("the communication server of node " + gone + " is gone", gone);
        return (System.nanoTime() - beganNs) / 1e9;
    }

    private double secondsUntilAllHearThatAllHaveLeft() throws IOException, InterruptedException {
        List<RawClient> ranks = new ArrayList<>();
        long beganNs = System.nanoTime();
        try {
            for (Map.Entry<Integer, CommunicationServer> server : servers.entrySet()) {
                int node = server.getKey();
                RawClient rank = RawClient.admitted(
                    UnixDomainSocketAddress.of(server.getValue().directory().resolve("socket")),
                    Membership.of(job(node).serversFile(file).build(), settings), Role.LOCAL_RANK, node, node, node);
                ranks.add(rank);
                rank.send(Requests.goodbye(node));
            }
            stubs.values().forEach(StubServer::ranksLeft);
            assertAllHear(StubServer.ALL_LEFT, -1);
        } finally {
            for (RawClient rank : ranks) {
                rank.close();
            }
        }
        return (System.nanoTime() - beganNs) / 1e9;
    }

    @Test
    void shouldTellEverybodyWhenAllRanksHaveLeft() throws Exception {
        start(NODES);
        secondsUntilAllHearThatAllHaveLeft();
    }

    /** Of a whole server below a whole one, of stubs below whole ones, and below stubs. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 12, NODES / 2})
    void shouldTellEverybodyWhenAServerDies(int gone) throws Exception {
        start(NODES);
        secondsUntilAllHearOfTheDeathOf(gone);
    }

    @Test
    @Tag("campaign")
    void shouldTellThousandsWhenAllRanksHaveLeft() throws Exception {
        long beganNs = System.nanoTime();
        start(MANY_NODES);
        double connectedS = (System.nanoTime() - beganNs) / 1e9;
        say("connected after %.2f s, all hear that all ranks have left after %.2f s", connectedS,
            secondsUntilAllHearThatAllHaveLeft());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.0004, 0.5, 1})
    @Tag("campaign")
    void shouldTellThousandsWhenAServerDies(double place) throws Exception {
        int gone = (int) Math.ceil(place * (MANY_NODES - 1));
        start(MANY_NODES);
        say("all hear of the death of the server of node %d after %.2f s", gone,
            secondsUntilAllHearOfTheDeathOf(gone));
    }

    private static void say(String what, Object... values) {
        System.out.println("tree of " + MANY_NODES + " servers: " + String.format(Locale.ROOT, what, values));
    }
}
