package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ProcessFiles;
import org.tributary.fabric.Fabric;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.ToleratesErrors;

/** However one process of a job ends, the others end soon and one message says why. */
class RankFailureTest {
    /** Only what hangs takes that long, or what nobody notices but by the silence of a process. */
    private static final long SOON_S = Running.DEADLINE_S;
    /** Long enough for transfers to be under way. */
    private static final long MOMENT_MS = 500;
    private static final String RANKS = "target/test-classes";

    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    /** Rank 1 shares a node with rank 0, and has rank 2 on another. */
    private Running run(String... words) {
        return run(List.of(), words);
    }

    private Running run(List<String> options, String... words) {
        List<String> all = new ArrayList<>(List.of("run", "--layout", "2,1", "--set",
            "connection.silence-timeout=10min"));
        all.addAll(options);
        all.addAll(List.of("--class-path", Path.of(RANKS).toAbsolutePath().toString(), "org.tributary.it.Program"));
        all.addAll(List.of(words));
        return place.tributary(all.toArray(String[]::new));
    }

    /** Waits until all ranks are ready; the process of rank 1. */
    private static long awaitReady(Running job) {
        return awaitAll(job)[1];
    }

    private static long[] awaitAll(Running job) {
        long[] pids = new long[3];
        for (int rank = 0; rank < pids.length; rank++) {
            pids[rank] = Long.parseLong(job.awaitLine("\\[" + rank + "] ready rank " + rank + " pid (\\d+)").group(1));
        }
        return pids;
    }

    private static List<String> adapter(String provider, int channels) {
        return List.of("--set", "network.fabric=" + provider, "--set", "fabric.channels=" + channels, "--set",
            "server.metrics-port=0");
    }

    /** Waits until a rank uses a channel, if there are any. */
    private void awaitChannel(int channels) {
        place.await("no rank uses a channel", () -> channels == 0 || usesChannel());
    }

    private boolean usesChannel() {
        try {
            return Metrics.sum(place, "tributary_fabric_channels") > 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertOneMessage(Running job, String regex) {
        assertEquals(1, job.err().lines().filter(line -> line.startsWith("tributary: ")).count(), job::toString);
        assertTrue(job.err().lines().anyMatch(line -> line.matches("tributary: " + regex)), job::toString);
    }

    @Test
    void shouldEndWithItsCodeWhenRankExits() throws Exception {
        Running job = run("exit", "7");
        awaitReady(job);
        assertEquals(7, job.exitCode(SOON_S));
        assertOneMessage(job, "rank 1 \\(node 0, pid \\d+\\) exited with code 7");
        place.assertNothingLeft();
    }

    /** A server that cannot get rid of answers does not read that the rank leaves. */
    @Test
    void shouldEndWellWhenARankExitsThatIsSentMuch() throws Exception {
        Running job = run("exit-getting");
        awaitReady(job);
        assertEquals(0, job.exitCode(SOON_S), job::toString);
        place.assertNothingLeft();
    }

    /** What a socket has not read when it is closed keeps what it has sent from arriving; a thread may still send. */
    @ParameterizedTest
    @ValueSource(strings = {"exit-adding", "exit-streaming"})
    void shouldEndWellWhenARankExitsWhoseRequestsAreOnTheirWay(String how) throws Exception {
        Running job = run(how);
        awaitReady(job);
        assertEquals(0, job.exitCode(SOON_S), job::toString);
        place.assertNothingLeft();
    }

    /** Those that wait for it fail, not it. */
    @Test
    void shouldNameTheRankThatExitedWellInTheMiddle() throws Exception {
        Running job = run("exit-unnotified");
        awaitReady(job);
        assertEquals(1, job.exitCode(SOON_S));
        assertOneMessage(job, "rank 1 \\(node 0, pid \\d+\\) left the job while others still needed it; so rank [02]"
            + " \\(node [01], pid \\d+\\) exited with code 1");
        place.assertNothingLeft();
    }

    @Test
    void shouldNameTheRankThatExitedWellWhenOthersAreInACollective() throws Exception {
        Running job = run("exit", "0");
        awaitReady(job);
        assertEquals(1, job.exitCode(SOON_S));
        assertOneMessage(job, "rank 1 (has left the job while rank [02] waits for it, in barrier, .*"
            + "|\\(node 0, pid \\d+\\) left the job while others still needed it; .*)");
        place.assertNothingLeft();
    }

    @Test
    @ExpectsErrors("deliberate failure")
    void shouldEndWithOneWhenRankThrows() throws Exception {
        Running job = run("exception");
        awaitReady(job);
        assertEquals(1, job.exitCode(SOON_S));
        assertTrue(job.err().contains("deliberate failure"), job::toString);
        assertOneMessage(job, "rank 1 \\(node 0, pid \\d+\\) exited with code 1");
        place.assertNothingLeft();
    }

    @ParameterizedTest
    @CsvSource({"barrier", "lock", "put", "allocate"})
    void shouldEndEveryoneWhenRankIsKilledInTheMiddle(String what) throws Exception {
        Running job = run(what);
        long victim = awaitReady(job);
        Place.signal("KILL", victim);
        assertEquals(137, job.exitCode(SOON_S));
        assertOneMessage(job, "rank 1 \\(node 0, pid " + victim + "\\) was killed by signal 9 \\(SIGKILL\\)");
        place.assertNothingLeft();
    }

    @Test
    @ToleratesErrors("A fatal error has been detected by the Java Runtime")
    void shouldEndEveryoneWhenRankCrashes() throws Exception {
        Running job = run("barrier");
        long victim = awaitReady(job);
        Place.signal("SEGV", victim);
        int code = job.exitCode(SOON_S); // the JVM writes a report first
        assertTrue(code == 134 || code == 139, job::toString);
        assertOneMessage(job, "rank 1 \\(node 0, pid " + victim + "\\) was killed by signal .*");
        place.assertNothingLeft();
    }

    @Test
    void shouldEndEveryoneWhenServerIsKilled() throws Exception {
        Running job = run("all-in-barrier");
        awaitReady(job);
        long server = place.processes().stream().filter(process ->
            ProcessFiles.of(process).findsVariable("TRIBUTARY_NODE", "1")
                && ProcessFiles.of(process).commandLine().contains("--supervised")).findFirst().orElseThrow().pid();
        Place.signal("KILL", server);
        assertEquals(137, job.exitCode(SOON_S));
        assertOneMessage(job, "server of node 1 \\(pid " + server + "\\) was killed by signal 9 .*");
        place.assertNothingLeft();
    }

    /** Its end comes by connections, and by operations of the adapter that are under way; and leaves nothing. */
    @ParameterizedTest
    @CsvSource({"tcp, put, 0", "shm, put, 0", "tcp, add, 4", "shm, add, 4"})
    @ToleratesErrors(Metrics.STRANGER)
    void shouldEndEveryoneWhenServerIsKilledWhileAnAdapterTransfers(String provider, String operation, int channels)
        throws Exception {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        Running job = run(adapter(provider, channels), operation);
        awaitReady(job);
        Thread.sleep(MOMENT_MS);
        awaitChannel(channels);
        long server = place.processes().stream().filter(process ->
            ProcessFiles.of(process).findsVariable("TRIBUTARY_NODE", "0")
                && ProcessFiles.of(process).commandLine().contains("--supervised")).findFirst().orElseThrow().pid();
        Place.signal("KILL", server);
        assertEquals(137, job.exitCode(SOON_S));
        assertOneMessage(job, "server of node 0 \\(pid " + server + "\\) was killed by signal 9 .*");
        place.assertNothingLeft();
    }

    /** The other ranks hear of it, and its server frees its block. */
    @ParameterizedTest
    @CsvSource({"tcp", "shm"})
    @ToleratesErrors(Metrics.STRANGER)
    void shouldEndEveryoneWhenARankIsKilledThatUsesAChannel(String provider) throws Exception {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        Running job = run(adapter(provider, 4), "add");
        long victim = awaitAll(job)[2];
        awaitChannel(4);
        Place.signal("KILL", victim);
        assertEquals(137, job.exitCode(SOON_S));
        assertOneMessage(job, "rank 2 \\(node 1, pid " + victim + "\\) was killed by signal 9 .*");
        place.assertNothingLeft();
    }

    @Test
    void shouldEndEveryoneAndItsHiddenSecretWhenLauncherIsKilled() throws Exception {
        Running job = run("all-in-barrier");
        awaitReady(job);
        Path secret = Secrets.fileOf(place, 1 + 2 + 3);
        Place.signal("KILL", job.pid());
        job.exitCode(SOON_S);
        place.assertNothingLeft();
        assertFalse(Files.exists(secret), "the secret outlives its job");
    }

    @ParameterizedTest
    @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
    void shouldEndEveryoneWhenLauncherIsSignalled(String signal, int code) throws Exception {
        assumeFalse(signal.equals("HUP") && isHangUpIgnored(), "SIGHUP is ignored here, as nohup has it");
        Running job = signal.equals("TERM") ? run("all-in-barrier") : place.tributary("run", "--layout", "2,1", "--",
            "/bin/sh", "-c", "echo ready rank $TRIBUTARY_RANK pid $$; exec sleep 1000");
        awaitReady(job);
        Place.signal(signal, job.pid());
        assertEquals(code, job.exitCode(SOON_S));
        assertOneMessage(job, "ending the job: received SIG" + signal);
        place.assertNothingLeft();
    }

    /** Such a signal stays ignored in every process that is started from here, and so it should. */
    private static boolean isHangUpIgnored() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("SigIgn:"))
            .anyMatch(line -> (Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16) & 1) != 0);
    }
}
