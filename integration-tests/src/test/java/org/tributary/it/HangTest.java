package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ProcessFiles;
import org.tributary.testsupport.ProcessThreads;
import org.tributary.testsupport.Stopping;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.shm.NodeDirectory;

/** What {@code tributary status} and the launcher tell of jobs that do not go on; of four ranks on two nodes. */
class HangTest {
    private static final int RANKS = 4;
    private static final long STACK_PATIENCE_S = 60;
    private static final int LONGEST_S = 100;
    /** Of a thread of a rank, in a report. */
    private static final String STACK = "at org.tributary.it.HangingProgram.";
    /** In its place when the rank, or who asks it, is late. */
    private static final String NO_STACK = "no stack: ";
    /** Where the slots of the first rank of a node begin in its control file. */
    private static final long SLOTS = 66_048 + 128;

    private final Place place = new Place();
    private int saidBefore;

    @AfterEach
    void close() {
        place.close();
    }

    private Running run(String how, String... options) {
        List<String> words = new ArrayList<>(List.of("run", "--nodes", "2", "--ranks-per-node", "2", "--set",
            "job.grace=20s"));
        words.addAll(List.of(options));
        String classes = Path.of(HangingProgram.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .toString();
        words.addAll(List.of("--class-path", classes, "org.tributary.it.HangingProgram", how));
        Running job = place.tributary(words.toArray(String[]::new));
        for (int rank = 0; rank < RANKS; rank++) {
            job.awaitLine("\\[" + rank + "] ready rank " + rank + " pid \\d+");
        }
        saidBefore = job.err().length();
        return job;
    }

    /** What the launcher has said since all ranks were ready: before that, all may have waited for slow servers. */
    private String said(Running job) {
        return job.err().substring(saidBefore);
    }

    /** Launchers and servers get ready for SIGQUIT in the background. */
    private void awaitQuitSignal() {
        place.await("a process is not ready for SIGQUIT", () -> place.processes().stream()
            .noneMatch(process -> ProcessThreads.has(process, "tributary-quit")));
    }

    private String id() {
        return Place.entries(place.shm()).stream().map(entry -> entry.getFileName().toString())
            .filter(name -> NodeDirectory.NAME.matcher(name).matches()).findAny().orElseThrow()
            .replaceFirst("^tributary-", "").replaceFirst("-\\d+$", "");
    }

    private String status(String... words) throws InterruptedException {
        Running status = place.tributary(Stream.concat(Stream.of("status"), Stream.of(words)).toArray(String[]::new));
        assertEquals(0, status.exitCode(STACK_PATIENCE_S), status::toString);
        assertEquals("", status.err());
        return String.join("\n", status.out());
    }

    /** Asks again until the ranks have come to where the answer is that. */
    private String awaitStatus(String awaited, String... words) {
        return awaitStatus(List.of(awaited), words);
    }

    /** The same where all of these are awaited: also a stack is late on a busy machine. */
    private String awaitStatus(List<String> awaited, String... words) {
        String[] last = {""};
        place.await(awaited + " are not in the status", () -> {
            try {
                last[0] = status(words);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return awaited.stream().allMatch(last[0]::contains);
        });
        return last[0];
    }

    private void end(Running job) throws InterruptedException {
        Place.signal("TERM", job.pid());
        assertEquals(143, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    private static long count(String text, String what) {
        return text.split(what, -1).length - 1L;
    }

    @Test
    void shouldNameTheDeadlockOnceByItselfWhenTwoRanksHoldEachOthersMutex() throws Exception {
        Running job = run("deadlock", "--set", "job.hang-report=2s");
        place.await("no report of the launcher", () -> said(job).contains("no progress for "));
        String list = status();
        assertTrue(list.contains(id() + "  2*2     0, 1 of 2   4 of 4 attached"), list);
        String table = status(id());
        assertTrue(table.contains("waits for mutex 1 of rank 3, held by rank 3, for "), table);
        String json = status("--json", id());
        assertTrue(json.contains("\"kind\": \"mutex\", \"peer\": 3"), json);
        String why = awaitStatus(STACK + "main", "--why", id());
        assertTrue(why.contains("deadlock: ranks 0, 3 wait for each other"), why);
        Running unknown = place.tributary("status", id() + "x");
        assertEquals(2, unknown.exitCode());
        assertTrue(unknown.err().contains("no job '" + id() + "x' on this machine") && unknown.err().contains(
            "'" + id() + "'"), unknown::toString);
        assertTrue(job.err().contains("deadlock: ranks 0, 3 wait for each other"), job::toString);
        assertEquals(1, count(said(job), "no progress for "), job::toString);
        end(job);
    }

    @Test
    void shouldShowTheStackOfWhoComputesAndNotSpeakByItselfWhenOthersAreInABarrier() throws Exception {
        Running job = run("late", "--set", "job.hang-report=1s");
        String why = awaitStatus(List.of("ranks 0, 2, 3 wait for rank 1 in barrier, call ", STACK + "computeTheMatrix"),
            "--why", id());
        assertTrue(why.contains("\n    rank 1 computes"), why);
        assertFalse(said(job).contains("no progress"), job::toString);
        end(job);
    }

    /** A JVM removes the socket on which it has been asked for its stacks only when it ends by itself. */
    @Test
    void shouldLeaveNoSocketWhenARankIsKilledThatWasAskedForItsStack() throws Exception {
        Running job = run("late");
        String pid = job.awaitLine("\\[1] ready rank 1 pid (\\d+)").group(1);
        awaitStatus(STACK + "computeTheMatrix", "--why", id());
        Path socket = Path.of("/tmp/.java_pid" + pid);
        assertTrue(Files.exists(socket));
        Place.signal("KILL", pid);
        assertNotEquals(0, job.exitCode(), job::toString);
        assertFalse(Files.exists(socket));
        place.assertNothingLeft();
    }

    @Test
    void shouldNameTheCycleWhenRanksAreInBarriersOfDifferentGroups() throws Exception {
        Running job = run("groups", "--set", "job.hang-report=0");
        String why = awaitStatus("deadlock: ranks 0, 1 wait for each other", "--why", id());
        assertTrue(why.contains("in barrier, call 1 of group "), why);
        assertFalse(said(job).contains("no progress"), job::toString);
        end(job);
    }

    /** A rank that is ended beside its get may come to say so before its process is gone. */
    @Test
    @ToleratesErrors({"Exception in thread \"main\" ", "leaves the job: its process ends"})
    void shouldEndTheChainAtTheServerWhenItWasStopped() throws Exception {
        Running job = run("get");
        ProcessHandle server = secondServer();
        Stopping.stop(server.pid());
        String why = awaitStatus("  the server of node 1 was stopped (SIGSTOP) (pid " + server.pid(),
            "--why", id());
        assertTrue(why.contains("rank 0 waits for its operations at the server of node 1, for ")
            || why.contains("rank 1 waits for its operations at the server of node 1, for "), why);
        Stopping.goOn(server.pid());
        end(job);
    }

    /** Those that wait for it hear that it has left when its server goes on, which ends the job. */
    @Test
    @ToleratesErrors({"Exception in thread \"main\" ", "rank 2 has left the job while rank ", "ends?: "})
    void shouldSayThatARankHasLeftWhenItsServerIsStoppedMeanwhile(@TempDir Path directory) throws Exception {
        Path go = directory.resolve("go");
        Running job = run("leave", "--env", "GO=" + go);
        ProcessHandle server = secondServer();
        Stopping.stop(server.pid());
        Files.createFile(go);
        place.await("rank 2 does not end", () -> place.processes().stream().noneMatch(process ->
            ProcessFiles.of(process).findsVariable("TRIBUTARY_RANK", "2")));
        String table = status("--why", id());
        assertTrue(table.contains("has left; requests of it still wait at its server"), table);
        assertFalse(table.contains("has died"), table);
        Stopping.goOn(server.pid());
        place.await("nobody hears of it", () -> job.err().contains("rank 2 has left the job while rank "));
        assertNotEquals(0, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    private ProcessHandle secondServer() {
        return place.processes().stream().filter(process -> ProcessFiles.of(process).text("cmdline")
            .contains("--supervised") && ProcessFiles.of(process).findsVariable("TRIBUTARY_NODE", "1")).findFirst()
            .orElseThrow();
    }

    @Test
    void shouldNameTheServerAndNoDeadlockWhenItWasStoppedBetweenRanksThatExchange() throws Exception {
        Running job = run("exchange", "--set", "job.hang-report=2s");
        ProcessHandle server = secondServer();
        int before = job.err().length(); // a server that gets no processor for long looks like a deadlock
        Stopping.stop(server.pid());
        place.await("no report of the launcher", () -> job.err().indexOf("no progress for ", before) >= 0);
        String why = awaitStatus("the server of node 1 was stopped (SIGSTOP) (pid " + server.pid(), "--why", id());
        assertFalse(why.contains("deadlock"), why);
        place.await("the report does not name it", () -> job.err().contains("the server of node 1 was stopped"));
        assertFalse(job.err().substring(before).contains("deadlock"), job::toString);
        Stopping.goOn(server.pid());
        end(job);
    }

    @ParameterizedTest
    @ValueSource(strings = {"USR1", "QUIT"})
    void shouldSayWhoWaitsWhenAskedBySignal(String signal) throws Exception {
        Running job = run("notification");
        awaitStatus("waits for notification 1 of rank 3", id());
        awaitQuitSignal();
        int lines = job.out().size();
        int asked = 0;
        while (asked < 2 || count(job.err(), STACK + "main") < 2) { // again where a stack was late
            int reports = ++asked;
            assertTrue(reports <= 5, job::toString);
            Place.signal(signal, job.pid());
            place.await("no report", () -> count(job.err(), "rank 0 waits for notification 1 of rank 3") == reports
                && count(job.err(), STACK + "main") + count(job.err(), NO_STACK) >= reports);
        }
        assertEquals(asked, count(job.err(), "who waits for whom .SIG" + signal), job::toString);
        assertTrue(job.err().contains("rank 3 computes"), job::toString);
        assertEquals(lines, job.out().size(), job::toString);
        end(job);
    }

    /** What Ctrl-\ at a terminal sends: to ranks, of which only those in Java say something, servers and launcher. */
    @Test
    void shouldShowStacksOfRanksAloneWhenAllProcessesAreQuit() throws Exception {
        Running job = run("notification");
        awaitStatus("waits for notification 1 of rank 3", id());
        awaitQuitSignal();
        Place.signal("QUIT", place.processes().stream().map(process -> Long.toString(process.pid()))
            .collect(Collectors.joining(" ")));
        place.await("no report", () -> job.err().contains("rank 0 waits for notification 1 of rank 3"));
        for (int rank = 0; rank < RANKS; rank++) {
            job.awaitLine("\\[" + rank + "] Full thread dump .*");
        }
        assertEquals(RANKS, job.out().stream().filter(line -> line.contains("Full thread dump ")).count(),
            job::toString);
        end(job);
    }

    @Test
    void shouldSayWhatTheJobDoesWhenItsTimeIsUpAndSlotsWereOverwritten() throws Exception {
        Running job = null;
        for (int seconds = 10; job == null; seconds *= 4) {
            job = overwritten(seconds);
        }
        assertEquals(124, job.exitCode(2 * Running.DEADLINE_S), job::toString);
        assertTrue(job.err().contains("what the job does as its time is up (--timeout)"), job::toString);
        assertTrue(job.err().contains("in barrier, call "), job::toString);
        place.assertNothingLeft();
    }

    private boolean isWaitingForItsFlag(String id) {
        try {
            return status(id).lines().anyMatch(line ->
                line.matches("0 .* waits for a flag of its own, which another rank is to set.*"));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A job whose slots were overwritten; null if its time was up before. */
    private Running overwritten(int seconds) throws Exception {
        long beganNs = System.nanoTime();
        try {
            Running job = run("all-wait", "--timeout", seconds + "s");
            place.await("rank 0 does not wait for its flag", () -> isWaitingForItsFlag(id()));
            try (RandomAccessFile control = new RandomAccessFile(
                NodeDirectory.of(place.shm(), id(), 0).control().toFile(), "rw")) {
                control.seek(SLOTS);
                control.write("overwritten with what is no wait ".repeat(6).getBytes(StandardCharsets.US_ASCII));
            }
            String table = status(id());
            assertEquals(RANKS, table.lines().filter(line -> line.matches("\\d +\\d +\\d+ .*")).count(), table);
            return job;
        } catch (AssertionError | IOException | NoSuchElementException e) {
            if (seconds > LONGEST_S || System.nanoTime() - beganNs < TimeUnit.SECONDS.toNanos(seconds)) {
                throw e;
            }
            place.assertNothingLeft();
            return null;
        }
    }
}
