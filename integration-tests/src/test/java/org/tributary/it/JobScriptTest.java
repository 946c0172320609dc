package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.testsupport.Stopping;

/** What a job script does without the launcher: a server on each node, then the ranks, all by environment alone. */
class JobScriptTest {
    private static final int STOPPED_S = 5;
    private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(2500);

    private final Place place = new Place();
    private final List<Running> servers = new ArrayList<>();
    private final List<Running> ranks = new ArrayList<>();
    private final Map<String, String> variables = new HashMap<>();
    private String serverName = "127.0.0.1";

    @AfterEach
    void close() {
        place.close();
    }

    private void startServers() throws Exception {
        for (int node = 0; node < 2; node++) {
            List<String> command = Place.server();
            command.addAll(List.of("--address-file", place.work().resolve("node-" + node).toString()));
            servers.add(start(command, Map.of("TRIBUTARY_NODE", Integer.toString(node))));
        }
        String addresses = "";
        for (int node = 0; node < 2; node++) {
            Path address = place.work().resolve("node-" + node);
            place.await("no server of node " + node, () -> Files.exists(address));
            addresses += Files.readString(address).replace("127.0.0.1", serverName);
        }
        Path complete = Files.writeString(place.work().resolve("servers.new"), addresses);
        Files.move(complete, place.work().resolve("servers"));
    }

    private void startRanks(String... words) {
        for (int rank = 0; rank < 4; rank++) {
            List<String> command = Place.java("org.tributary.it.Program");
            command.addAll(List.of(words));
            ranks.add(start(command, Map.of("TRIBUTARY_RANK", Integer.toString(rank))));
        }
    }

    /** Some of them in C, where there is a C client. */
    private void startMixedRanks(IntPredicate inC, String... words) {
        for (int rank = 0; rank < 4; rank++) {
            List<String> command = inC.test(rank) && CampaignJob.hasC()
                ? new ArrayList<>(List.of(Path.of(CampaignJob.C_PROGRAM).toAbsolutePath().toString()))
                : Place.java("org.tributary.it.CampaignRank");
            command.addAll(List.of(words));
            ranks.add(start(command, Map.of("TRIBUTARY_RANK", Integer.toString(rank))));
        }
    }

    /** Returns when all ranks have attached. */
    private void startLongJob(boolean inC) throws Exception {
        startServers();
        startMixedRanks(rank -> inC, "1000000", "1");
        for (Running rank : ranks) {
            rank.awaitLine(".*attached.*");
        }
    }

    private Running start(List<String> command, Map<String, String> own) {
        ProcessBuilder builder = place.builder(command);
        builder.environment().putAll(Map.of("TRIBUTARY_JOB_ID", "script", "TRIBUTARY_LAYOUT", "2*2",
            "TRIBUTARY_SECRET", "00112233445566778899aabbccddeeff", "TRIBUTARY_SERVERS_FILE",
            place.work().resolve("servers").toString(), "TRIBUTARY_SERVER_BIND_ADDRESS", "127.0.0.1"));
        builder.environment().putAll(variables);
        builder.environment().putAll(own);
        return place.start(builder);
    }

    @Test
    void shouldEndCleanlyWhenAllRanksExit() throws Exception {
        startServers();
        startRanks("nothing");
        ranks.get(1).awaitLine("ready rank 1 pid \\d+");
        for (Running rank : ranks) {
            assertEquals(0, rank.exitCode(), rank::toString);
        }
        for (Running server : servers) {
            assertEquals(0, server.exitCode(), server::toString);
            assertEquals("", server.err());
        }
        place.assertNothingLeft();
    }

    /** Longer than an attempt to connect takes, several times. */
    @Test
    void shouldAttachWhenServersAreStoppedMeanwhile() throws Exception {
        variables.put("TRIBUTARY_CONNECT_TIMEOUT", "500ms");
        startServers();
        for (Running server : servers) {
            Stopping.stop(server.pid());
        }
        startMixedRanks(rank -> rank % 2 == 1, "2", "1");
        assertTrue(ranks.get(0).runsFor(STOPPED_S), ranks::toString);
        for (Running rank : ranks) {
            assertTrue(rank.isAlive(), rank::toString);
        }
        for (Running server : servers) {
            Stopping.goOn(server.pid());
        }
        for (Running rank : ranks) {
            rank.awaitLine(".*right");
            assertEquals(0, rank.exitCode(), rank::toString);
        }
        for (Running server : servers) {
            assertEquals(0, server.exitCode(), server::toString);
        }
        place.assertNothingLeft();
    }

    /** Of ranks to servers, of servers to each other for what they pass on and for the end of the job. */
    @Test
    void shouldConnectWhenOnlyTheSecondAddressOfANameListens() throws Exception {
        serverName = "either";
        Path hosts = Files.writeString(place.work().resolve("hosts"), "127.0.0.9 either\n127.0.0.1 either\n");
        variables.putAll(Map.of("JDK_JAVA_OPTIONS", Place.FAST_START + " -Djdk.net.hosts.file=" + hosts,
            "TRIBUTARY_COOPERATION_MODE", "combine", "TRIBUTARY_COOPERATION_GROUP_SIZE", "2"));
        startServers();
        startRanks("all-in-barrier");
        for (Running rank : ranks) {
            rank.awaitLine("ready rank.*");
        }
        Place.signal("KILL", ranks.get(3).pid());
        assertEquals(137, ranks.get(3).exitCode());
        for (int rank = 0; rank < 3; rank++) {
            Running other = ranks.get(rank);
            assertEquals(75, other.exitCode(), other::toString);
            assertTrue(other.err().contains("rank 3 (node 1, pid " + ranks.get(3).pid()), other::toString);
        }
        for (Running server : servers) {
            assertEquals(1, server.exitCode(), server::toString);
        }
        place.assertNothingLeft();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {"2*2 0", "cyclic:2*2 1"})
    void shouldEndEveryoneWhenRankIsKilled(String layout, int node) throws Exception {
        variables.put("TRIBUTARY_LAYOUT", layout);
        startServers();
        startRanks("barrier");
        for (Running rank : ranks) {
            rank.awaitLine("ready rank.*");
        }
        Place.signal("KILL", ranks.get(1).pid());
        long victim = ranks.get(1).pid();
        assertEquals(137, ranks.get(1).exitCode());
        for (int rank : new int[] {0, 2, 3}) {
            Running other = ranks.get(rank);
            assertEquals(75, other.exitCode(), other::toString);
            assertTrue(other.err().matches("tributary: rank " + rank + " ends: rank 1 \\(node " + node + ", pid "
                + victim + "\\) .*"), other::toString);
        }
        for (Running server : servers) {
            assertEquals(1, server.exitCode(), server::toString);
            assertTrue(server.err().contains("rank 1 (node " + node + ", pid " + victim), server::toString);
        }
        place.assertNothingLeft();
    }

    /** Its ranks remove its directory: there is no launcher that would. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveNothingWhenServerIsKilled(boolean inC) throws Exception {
        startLongJob(inC);
        Place.signal("KILL", servers.get(1).pid());
        for (Running rank : ranks) {
            assertEquals(75, rank.exitCode(), rank::toString);
        }
        place.assertNothingLeft();
    }

    /** A process that dies on a busy machine closes its connections long before the kernel releases its locks. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveNothingWhenKilledServerLetsGoOfItsLockLate(boolean inC) throws Exception {
        startLongJob(inC);
        Path lock = place.shm().resolve("tributary-script-1").resolve("lock-held");
        try (FileChannel file = FileChannel.open(lock, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            FileLock held = file.lock()) {
            assertTrue(held.isValid());
            long killedNs = System.nanoTime();
            Place.signal("KILL", servers.get(1).pid());
            servers.get(1).exitCode();
            LockSupport.parkNanos(killedNs + LATE_NS - System.nanoTime());
        }
        for (Running rank : ranks) {
            assertEquals(75, rank.exitCode(), rank::toString);
        }
        place.assertNothingLeft();
    }

    @Test
    void shouldEndServerWhenRankIsNeverStarted() throws Exception {
        Running server = start(Place.server(), Map.of("TRIBUTARY_NODE", "0", "TRIBUTARY_LAYOUT", "1",
            "TRIBUTARY_ATTACH_TIMEOUT", "500ms"));
        assertEquals(1, server.exitCode(), server::toString);
        assertEquals("tributary: node 0: job aborted: rank 0 has not attached to node 0 within 0.5 s of the start of"
            + " its server; start all ranks, or raise attach.timeout", server.err());
        place.assertNothingLeft();
    }

    @Test
    void shouldLeaveNothingWhenServerIsTerminatedWhileItStarts() throws Exception {
        Running server = start(Place.server(), Map.of("TRIBUTARY_NODE", "0"));
        Path directory = place.shm().resolve("tributary-script-0");
        place.awaitMoment("no directory of node 0", () -> Files.exists(directory));
        Place.signal("TERM", server.pid());
        assertEquals(143, server.exitCode(), server::toString);
        assertTrue(server.err().contains("the server of node 0 received signal 15"), server::toString);
        place.assertNothingLeft();
    }

    /** As when a launcher starts rank 1 on node 0, and the layout has it on node 1. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldPointToTheLayoutWhenRankIsOnAnotherNode(boolean inC) throws Exception {
        variables.put("TRIBUTARY_ATTACH_TIMEOUT", "2s");
        variables.put("TRIBUTARY_LAYOUT", "cyclic:2*2");
        Files.createFile(place.work().resolve("servers"));
        List<String> command = Place.server();
        command.addAll(List.of("--address-file", place.work().resolve("node-0").toString()));
        Running server = start(command, Map.of("TRIBUTARY_NODE", "0", "TRIBUTARY_ATTACH_TIMEOUT", "1h"));
        place.await("no server of node 0", () -> Files.exists(place.work().resolve("node-0")));
        startMixedRanks(rank -> inC, "1", "1");
        for (int rank : new int[] {1, 3}) {
            Running misplaced = ranks.get(rank);
            assertEquals(1, misplaced.exitCode(), misplaced::toString);
            assertTrue(misplaced.err().contains("The server of node 0 runs here: TRIBUTARY_LAYOUT has to place rank "
                + rank + " as its launcher does"), misplaced::toString);
        }
        Place.signal("TERM", server.pid());
        for (Running process : List.of(server, ranks.get(0), ranks.get(2))) {
            assertTrue(process.exitCode() != 0, process::toString);
        }
        place.assertNothingLeft();
    }

    @Test
    void shouldSayWhatForWhenRankWaitsForLong() throws Exception {
        List<String> command = Place.java("org.tributary.it.Program");
        command.add("nothing");
        Running rank = start(command, Map.of("TRIBUTARY_RANK", "0", "TRIBUTARY_LAYOUT", "1",
            "TRIBUTARY_ATTACH_TIMEOUT", "16s"));
        assertEquals(1, rank.exitCode(), rank::toString);
        List<String> notices = rank.said().lines().filter(line -> line.contains("still waits for")).toList();
        assertEquals(1, notices.size(), rank::toString);
        assertTrue(notices.getFirst().matches("tributary: rank 0 still waits for the communication server of node 0 in "
            + place.shm() + "/.*script-0 \\(1\\d s of 16 s\\)"), rank::toString);
        assertTrue(rank.err().contains("no communication server for " + place.shm()), rank::toString);
        place.assertNothingLeft();
    }
}
