package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.testsupport.Stopping;

/**
 * Three hosts, a node each, two ranks a node: one is cut off or loses its power and never says so, or is slow. Who
 * survives ends within the time-out and the grace; who is slow is waited for.
 */
class SilentHostTest {
    /** Ranks in C, which wait as the argument says. */
    private static final Path C_RANK = Path.of(System.getProperty("tributary.native", "../native/target/cmake"),
        "test", "failing").toAbsolutePath();
    private static final int NODES = 3;
    private static final long TIMEOUT_S = 5;
    private static final long LONGEST_S = 50;
    /**
     * The time-out, a second for a process that knows the reason, job.grace, a busy machine; less than the default
     * time-out.
     */
    private static final long BOUND_S = TIMEOUT_S + 1 + 2 + 20;

    private final Place place = new Place();
    private final List<Running> servers = new ArrayList<>();
    private final List<Running> ranks = new ArrayList<>();
    private Hosts hosts;
    private long silenceS = TIMEOUT_S;

    @BeforeEach
    void makeHosts() {
        hosts = Hosts.make(NODES);
    }

    @AfterEach
    void close() {
        if (hosts != null) {
            hosts.close();
        }
        place.close();
    }

    private void startJob(String mode, String scope, String... words) throws Exception {
        List<String> command = Place.java("org.tributary.it.Program");
        command.addAll(List.of(words));
        startRanks(mode, scope, command);
    }

    private void startRanks(String mode, String scope, List<String> program) throws Exception {
        String addresses = "";
        for (int node = 0; node < NODES; node++) {
            servers.add(start(node, Place.server(), mode, scope, Map.of("TRIBUTARY_NODE", Integer.toString(node),
                "TRIBUTARY_SERVER_BIND_ADDRESS", hosts.address(node), "TRIBUTARY_SERVER_PORT", "7411")));
            addresses += hosts.address(node) + ":7411\n";
        }
        Files.writeString(place.work().resolve("servers"), addresses);
        for (int rank = 0; rank < 2 * NODES; rank++) {
            ranks.add(start(rank / 2, program, mode, scope, Map.of("TRIBUTARY_RANK", Integer.toString(rank))));
        }
        for (Running rank : ranks) {
            rank.awaitLine("ready rank.*");
        }
    }

    private Running start(int node, List<String> command, String mode, String scope, Map<String, String> own) {
        ProcessBuilder builder = place.builder(hosts.on(node, command));
        builder.environment().putAll(Map.of("TRIBUTARY_JOB_ID", "silent", "TRIBUTARY_LAYOUT", NODES + "*2",
            "TRIBUTARY_SECRET", "00112233445566778899aabbccddeeff",
            "TRIBUTARY_SERVERS_FILE", place.work().resolve("servers").toString(),
            "TRIBUTARY_CONNECTION_SILENCE_TIMEOUT", silenceS + "s",
            "TRIBUTARY_COOPERATION_MODE", mode, "TRIBUTARY_COOPERATION_SCOPE", scope));
        builder.environment().putAll(own);
        return place.start(builder);
    }

    /** All but those on a host end by themselves, and each says that it is that host's node that is gone. */
    private void assertSurvivorsEnd(int lost) throws Exception {
        long startNs = System.nanoTime();
        for (int rank = 0; rank < 2 * NODES; rank++) {
            if (rank / 2 != lost) {
                Running survivor = ranks.get(rank);
                assertEquals(75, survivor.exitCode(BOUND_S), survivor::toString);
                assertOneMessage(survivor, lost);
            }
        }
        for (int node = 0; node < NODES; node++) {
            if (node != lost) {
                Running survivor = servers.get(node);
                assertEquals(1, survivor.exitCode(BOUND_S), survivor::toString);
                assertOneMessage(survivor, lost);
            }
        }
        long elapsedNs = System.nanoTime() - startNs;
        assertTrue(elapsedNs / 1e9 < BOUND_S, () -> "took " + elapsedNs / 1e9 + " s");
    }

    private static void assertOneMessage(Running survivor, int lost) {
        assertEquals(1, survivor.err().lines().filter(line -> line.startsWith("tributary: ")).count(),
            survivor::toString);
        assertTrue(survivor.err().matches("(?s).*(node " + lost + "|rank " + 2 * lost + "|rank " + (2 * lost + 1)
            + ") .*"), survivor::toString);
    }

    @ParameterizedTest
    @CsvSource({"none, process, 2", "combine, node, 1"})
    void shouldEndEveryoneWhenHostIsCutOff(String mode, String scope, int lost) throws Exception {
        startJob(mode, scope, "all-in-barrier");
        hosts.cut(lost);
        assertSurvivorsEnd(lost);
        for (int rank = 2 * lost; rank < 2 * lost + 2; rank++) {
            assertEquals(75, ranks.get(rank).exitCode(BOUND_S), ranks.get(rank)::toString);
        }
        assertEquals(1, servers.get(lost).exitCode(BOUND_S), servers.get(lost)::toString);
        place.assertNothingLeft();
    }

    @ParameterizedTest
    @CsvSource({"all-in-barrier, 0", "put, 1", "compute, 2"})
    void shouldEndEveryoneWhenHostLosesPower(String what, int lost) throws Exception {
        startJob("none", "process", what);
        hosts.losePower(lost);
        assertSurvivorsEnd(lost);
    }

    /** Ranks that get from rank 1 have a connection to its node, on which they notice that by themselves. */
    @ParameterizedTest
    @CsvSource({"barrier, 2", "get, 0"})
    void shouldEndRanksInCWhenHostLosesPower(String how, int lost) throws Exception {
        assumeTrue(Files.isExecutable(C_RANK), () -> C_RANK + " has not been built");
        startRanks("none", "process", List.of(C_RANK.toString(), how));
        hosts.losePower(lost);
        assertSurvivorsEnd(lost);
    }

    @Test
    void shouldGoOnWhenServerWasStoppedForLongerThanTimeout() throws Exception {
        Path end = place.work().resolve("end");
        startJob("none", "process", "until", end.toString());
        Running stopped = servers.get(1);
        Stopping.stop(stopped.pid());
        assertTrue(stopped.runsFor(2 * TIMEOUT_S));
        Stopping.goOn(stopped.pid());
        assertAllEndWell(end);
    }

    /** As long as it takes to lose one probe of each connection, or two. */
    @Test
    void shouldGoOnWhenHostWasCutOffForLessThanTimeout() throws Exception {
        while (!goesOnWhenCutOff()) {
            silenceS *= 3;
            assertTrue(silenceS <= LONGEST_S, "this machine is too slow for this test");
        }
    }

    /** Not where it was silent for too long, as the machine has taken long to cut it off and to connect it. */
    private boolean goesOnWhenCutOff() throws Exception {
        Path end = place.work().resolve("end");
        startJob("none", "process", "until", end.toString());
        assertTrue(servers.get(1).runsFor(2)); // connections are idle, and probed
        long cutNs = System.nanoTime();
        hosts.cut(1);
        boolean isRunning = servers.get(1).runsFor(silenceS / 3);
        hosts.connect(1);
        if (System.nanoTime() - cutNs > TimeUnit.SECONDS.toNanos(silenceS) / 2) {
            endAll();
            return false;
        }
        assertTrue(isRunning && servers.get(1).runsFor(silenceS));
        assertAllEndWell(end);
        return true;
    }

    private void endAll() throws Exception {
        servers.addAll(ranks);
        for (Running process : servers) {
            Place.signal("KILL", process.pid());
            assertTrue(process.exitCode() != 0, process::toString);
        }
        servers.clear();
        ranks.clear();
        Files.delete(place.work().resolve("servers"));
    }

    private void assertAllEndWell(Path end) throws Exception {
        Files.createFile(end);
        for (Running rank : ranks) {
            assertEquals(0, rank.exitCode(), rank::toString);
        }
        for (Running server : servers) {
            assertEquals(0, server.exitCode(), server::toString);
        }
        place.assertNothingLeft();
    }
}
