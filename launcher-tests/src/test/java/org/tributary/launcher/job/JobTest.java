package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ProcessFiles;

/**
 * Beside the classes of the thread that begins: its jobs wait most of the time. One after the other: a launcher ignores
 * SIGQUIT, which belongs to the whole process, while it starts ranks.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("SIGQUIT of this process")
class JobTest {
    private static final long TIMEOUT_NS = 30_000_000_000L;
    /** Ranks of tests sleep for longer, and grace is longer where a test is not to wait for it. */
    private static final long LONG_NS = 90_000_000_000L;

    private JobHarness job;
    private CompletableFuture<Void> creator = CompletableFuture.completedFuture(null);

    @AfterEach
    void nothingIsLeft() {
        creator.join();
        assertEquals(List.of(), job.leftOver());
        assertFalse(Files.exists(Path.of(System.getProperty("java.io.tmpdir"), "tributary-job-" + job.jobId)));
    }

    @Test
    void shouldTellRanksTheirPlaceWhenStarted() throws Exception {
        job = new JobHarness("echo $TRIBUTARY_NODE $TRIBUTARY_SERVERS $TRIBUTARY_SUPERVISED $GREETING").lenient();
        assertEquals(0, job.run());
        String servers = " 127.0.0.1:1000,127.0.0.1:1001 1 hello";
        assertEquals(Set.of("[0] 0" + servers, "[1] 0" + servers, "[2] 1" + servers, "[3] 1" + servers),
            job.output().lines().collect(Collectors.toSet()));
        assertEquals("", job.errors());
    }

    @Test
    void shouldKeepStreamsApartAndLastLineWholeWhenForwarding() throws Exception {
        job = new JobHarness("echo out; echo err >&2; printf last").topology(1, 1).lenient();
        assertEquals(0, job.run());
        assertEquals("[0] out\n[0] last\n", job.output());
        assertEquals("[0] err\n", job.errors());
    }

    @Test
    void shouldLeaveLinesAloneWhenPlain() throws Exception {
        job = new JobHarness("cat; echo out").topology(1, 1).plain();
        assertEquals(0, job.run());
        assertEquals("out\n", job.output());
    }

    @Test
    void shouldNameRankAndCodeWhenOneFails() throws Exception {
        job = new JobHarness("[ $TRIBUTARY_RANK = 3 ] && exit 7; sleep 100");
        long startNs = System.nanoTime();
        assertEquals(7, job.run());
        assertTrue(job.errors().matches("tributary: rank 3 \\(node 1, pid \\d+\\) exited with code 7\n"), job.errors());
        assertTrue(System.nanoTime() - startNs < LONG_NS);
    }

    /** Rank 0 leaves, of which rank 1 dies, of which rank 2 dies, whose end comes first. */
    @Test
    void shouldNameTheRankThatLeftWhenOthersWaitForIt(@TempDir Path directory) throws Exception {
        String left = " has left the job while rank ";
        Path told = directory.resolve("told");
        job = new JobHarness("r=$TRIBUTARY_RANK; [ $r = 0 ] && exit 0; [ $r = 3 ] && exec sleep 100;"
            + " echo \"JobAbortedException: rank $((r - 1))" + left + "$r waits for it\" >&2;"
            + " [ $r = 1 ] && exec sleep 100; " + waitFor(told) + "exit 5").patient();
        createWhen(() -> job.errors().contains("[1] JobAbortedException"), told);
        assertEquals(5, job.run());
        String who = "rank %d \\(node %d, pid \\d+\\)";
        assertTrue(job.errors().lines().toList().getLast().matches("tributary: " + who.formatted(0, 0)
            + " left the job while others still needed it; so " + who.formatted(2, 1) + " exited with code 5"),
            job.errors());
        assertTrue(job.errors().contains("[2] JobAbortedException: rank 1" + left + "2 waits"), job.errors());
    }

    /** It has said goodbye, and takes longer to end than those that wait for it. */
    @Test
    void shouldNameTheProcessOfTheRankThatLeftWhenItHasNotEnded() throws Exception {
        job = new JobHarness("[ $TRIBUTARY_RANK = 1 ] || exec sleep 100;"
            + " echo 'rank 0 has left the job while rank 1 waits for it' >&2; exit 5").attentive();
        assertEquals(5, job.run());
        assertTrue(job.errors().matches("(?s).*tributary: rank 0 \\(node 0, pid \\d+\\) left the job while others still"
            + " needed it; so rank 1 \\(node 0, pid \\d+\\) exited with code 5\n"), job.errors());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rank 0 has left the job while rank 2 waits for it", "rank 77 has left the job while rank 1"
        + " waits for it", "rank 1 has left the job while rank 1 waits for it",
        "rank 99999999999 has left the job while rank 1 waits for it"})
    void shouldNameTheFailedRankWhenItsLineTellsOfNoOtherThatLeft(String line) throws Exception {
        job = new JobHarness("[ $TRIBUTARY_RANK = 1 ] || exec sleep 100; echo '" + line + "' >&2; exit 4");
        assertEquals(4, job.run());
        assertTrue(job.errors().matches("(?s).*tributary: rank 1 \\(node 0, pid \\d+\\) exited with code 4\n"),
            job.errors());
    }

    @Test
    void shouldNameSignalWhenRankIsKilled() throws Exception {
        job = new JobHarness("[ $TRIBUTARY_RANK = 1 ] && kill -9 $$; trap '' TERM; sleep 100 & wait; sleep 100");
        long startNs = System.nanoTime();
        assertEquals(137, job.run());
        assertTrue(job.errors().contains("was killed by signal 9 (SIGKILL)\n"), job.errors());
        assertTrue(System.nanoTime() - startNs < LONG_NS);
    }

    private static String serverThatAborts(String when, String reason) {
        return JobHarness.OBEDIENT_SERVER.replace("while", "read -r rank; sleep " + when
            + "; echo 'tributary server aborted: " + reason + "'; while");
    }

    /** A file that was truncated, for example: the server finds out at about the same time as the rank. */
    @ParameterizedTest
    @CsvSource({"0, 0.2, 6", "0.2, 0, 6", "0, 0.2, 7", "0, 0.2, 11"})
    void shouldSayWhyARankCrashedWhenItsServerKnows(String rankAt, String serverAt, int signal) throws Exception {
        job = new JobHarness("sleep " + rankAt + "; [ $TRIBUTARY_RANK = 1 ] && kill -" + signal + " $$; sleep 100")
            .server(serverThatAborts(serverAt, "a file was truncated")).patient();
        assertEquals(128 + signal, job.run());
        assertTrue(job.errors().matches("(?s)tributary: rank 1 \\(node 0, pid \\d+\\) was killed by signal " + signal
            + " \\(SIG\\w+\\): a file was truncated\n"), job.errors());
    }

    /** For which nobody waits: such a signal comes from somebody else. */
    @Test
    void shouldSayWhyARankWasKilledWhenItsServerHasToldBefore(@TempDir Path directory) throws Exception {
        Path told = directory.resolve("told");
        job = new JobHarness(waitFor(told) + "[ $TRIBUTARY_RANK = 1 ] && kill -9 $$; sleep 100")
            .server(serverThatAborts("0", "a file was truncated").replace("; while", "; echo told; while")).patient();
        createWhen(() -> job.output().contains("told"), told);
        assertEquals(137, job.run());
        assertTrue(job.errors().matches("tributary: rank 1 \\(node 0, pid \\d+\\) was killed by signal 9 "
            + "\\(SIGKILL\\): a file was truncated\n"), job.errors());
    }

    @Test
    void shouldSayOnlyThatARankCrashedWhenItsServerKnowsNoMore() throws Exception {
        job = new JobHarness("[ $TRIBUTARY_RANK = 1 ] && kill -6 $$; sleep 100")
            .server(serverThatAborts("0.2", "rank 1 (node 0, pid 1) ended without leaving the job")).patient();
        assertEquals(134, job.run());
        assertTrue(job.errors().matches("tributary: rank 1 \\(node 0, pid \\d+\\) was killed by signal 6 "
            + "\\(SIGABRT\\)\n"), job.errors());
    }

    /** Ranks that end behind it end because of it; a server tells why when they are gone. */
    @ParameterizedTest
    @ValueSource(strings = {"exit 1", "kill -7 $$", "exit 75"})
    void shouldSayWhyTheFirstCrashedWhenOthersEndBehindIt(String behind, @TempDir Path directory) throws Exception {
        Path pid = directory.resolve("pid");
        job = new JobHarness("[ $TRIBUTARY_RANK = 1 ] && { echo $$ > '" + pid + ".new'; mv '" + pid + ".new' '" + pid
            + "'; kill -11 $$; }\n" + waitFor(pid) + "while kill -0 $(cat '" + pid + "') 2> /dev/null; do sleep 0.05;"
            + " done; sleep 1.5; " + behind)
            .server(serverThatAborts("3", "a file was truncated")).patient();
        assertEquals(139, job.run());
        assertTrue(job.errors().matches("(?s)tributary: rank 1 \\(node 0, pid \\d+\\) was killed by signal 11 "
            + "\\(SIGSEGV\\): a file was truncated\n"), job.errors());
    }

    @Test
    void shouldNameTheOtherRankWhenItsServerKnowsThatOneIsTheCause() throws Exception {
        job = new JobHarness("[ $TRIBUTARY_RANK = 1 ] && kill -6 $$; sleep 100")
            .server(serverThatAborts("0.2", "rank 11 (node 3, pid 7) ended without leaving the job")).patient();
        assertEquals(134, job.run());
        assertTrue(job.errors().contains("(SIGABRT): rank 11 (node 3, pid 7) ended"), job.errors());
    }

    @Test
    void shouldSayThatARankCrashedWhenItsServerSaysNothing() throws Exception {
        job = new JobHarness("[ $TRIBUTARY_RANK = 1 ] && kill -11 $$; sleep 100");
        assertEquals(139, job.run());
        assertTrue(job.errors().contains("was killed by signal 11 (SIGSEGV)\n"), job.errors());
        assertTrue(job.hasLost());
    }

    @Test
    void shouldReportCauseWhenConsequenceIsSeenFirst() throws Exception {
        job = new JobHarness("[ $TRIBUTARY_RANK = 0 ] && exit 75; sleep 0.3;"
            + " [ $TRIBUTARY_RANK = 2 ] && exit 9; sleep 100").patient();
        assertEquals(9, job.run());
        assertTrue(job.errors().contains("rank 2 (node 1"), job.errors());
        assertFalse(job.errors().contains("code 75"), job.errors());
    }

    @Test
    void shouldReportConsequenceWhenNoCauseFollows() throws Exception {
        job = new JobHarness("exit 75");
        assertEquals(ExitCodes.ABORTED, job.run());
        assertTrue(job.errors().contains("exited with code 75\n"), job.errors());
        assertTrue(job.hasLost());
    }

    @Test
    void shouldGiveReasonOfServerWhenItAborts() throws Exception {
        job = new JobHarness("exit 75").server("trap 'echo tributary server aborted: a good reason; exit 1' EXIT\n"
            + JobHarness.OBEDIENT_SERVER.replace("while", "read -r rank; sleep 0.2; exit 1; while"))
            .patient();
        assertEquals(ExitCodes.FAILURE, job.run());
        assertEquals("tributary: a good reason\n", job.errors());
    }

    /** It tells when its ranks are gone, some of which may have much to do, or wait for a core. */
    @Test
    void shouldGiveReasonOfServerWhenItTellsLate() throws Exception {
        String server = serverThatAborts("2", "a good reason").replace("; while", "; exit 1; while");
        job = new JobHarness("exit 75").server(server).lenient();
        assertEquals(ExitCodes.FAILURE, job.run());
        assertEquals("tributary: a good reason\n", job.errors());
    }

    /** Its output is read on another thread than the one that tells of its end. */
    @Test
    void shouldGiveReasonOfServerWhenItsWordsComeBehindItsEnd(@TempDir Path directory) throws Exception {
        Path ended = directory.resolve("ended");
        job = new JobHarness("until [ -e '" + ended + "'$TRIBUTARY_NODE ]; do sleep 0.05; done; exit 75")
            .server(JobHarness.OBEDIENT_SERVER.replace("while", "server=$$; (while kill -0 $server; do sleep 0.05;"
                + " done; : > '" + ended + "'$TRIBUTARY_NODE; sleep 1; echo tributary server aborted: a good reason)"
                + " 2> /dev/null & read -r rank; exit 1; while")).topology(1, 1).patient();
        assertEquals(ExitCodes.FAILURE, job.run());
        assertEquals("tributary: a good reason\n", job.errors());
    }

    /** What a server has started may keep the server's output open for long. */
    @Test
    void shouldWaitForNoMoreWordsWhenTheServerHasGivenTheReason(@TempDir Path directory) throws Exception {
        Path go = directory.resolve("go");
        job = new JobHarness("exit 75").server(JobHarness.OBEDIENT_SERVER.replace("while", "read -r rank; echo"
            + " tributary server aborted: a good reason; echo told; " + waitFor(go) + "sleep 1000 & exit 1; while"))
            .topology(1, 1).patient();
        createWhen(() -> job.output().contains("told"), go);
        long startNs = System.nanoTime();
        assertEquals(ExitCodes.FAILURE, job.run());
        assertEquals("tributary: a good reason\n", job.errors());
        assertTrue(System.nanoTime() - startNs < LONG_NS);
    }

    @Test
    void shouldEndJobWhenServerDies() throws Exception {
        job = new JobHarness("sleep 100")
            .server(JobHarness.OBEDIENT_SERVER.replace("while",
                "[ $TRIBUTARY_NODE = 1 ] && read -r rank && kill -9 $$; while"));
        assertEquals(137, job.run());
        assertTrue(job.errors().matches("tributary: server of node 1 \\(pid \\d+\\) was killed by signal 9.*\n"),
            job.errors());
        assertTrue(job.hasLost());
    }

    /** The program has done its work, whatever holds up a server. */
    @Test
    void shouldEndWellNamingTheServerWhenItIsStoppedAtTheEnd() throws Exception {
        job = new JobHarness("echo done").server(JobHarness.OBEDIENT_SERVER.replace("end) exit 0",
            "end) [ $TRIBUTARY_NODE = 0 ] || kill -STOP $$; exit 0"));
        assertEquals(0, job.run());
        assertEquals(4, job.output().lines().count());
        assertTrue(job.errors().matches("tributary: all ranks have ended well; what has not ended within .* s of them"
            + " is ended: .*node 1 \\(pid \\d+\\) \\(was it stopped.*\n"), job.errors());
    }

    @Test
    void shouldHaveFewServerProcessesWhenThereAreManyNodes() throws Exception {
        job = new JobHarness("echo \"$TRIBUTARY_SERVERS\"").topology(100, 1).plain();
        assertEquals(0, job.run(), job::errors);
        String servers = IntStream.range(0, 100).mapToObj(node -> "127.0.0.1:" + (1000 + node))
            .collect(Collectors.joining(","));
        assertEquals(Collections.nCopies(100, servers), job.output().lines().toList());
    }

    @Test
    void shouldSayWhatToDoWhenTheHeapIsFull() throws Exception {
        job = new JobHarness("echo started").withoutMemory();
        assertEquals(ExitCodes.FAILURE, job.run());
        assertTrue(job.errors().matches("tributary: cannot start the processes of the job: Java heap space; raise the"
            + " memory .*\n"), job.errors());
    }

    @Test
    void shouldStartNoRankWhenServerCannotStart() throws Exception {
        job = new JobHarness("echo started").server("[ $TRIBUTARY_NODE = 0 ] && { echo no memory >&2; exit 3; }\n"
            + JobHarness.OBEDIENT_SERVER);
        assertEquals(ExitCodes.FAILURE, job.run());
        assertEquals("", job.output());
        assertTrue(job.errors().contains("[server 0] no memory\n"), job.errors());
        assertTrue(job.errors().contains("exited with code 3 before all servers were ready\n"), job.errors());
    }

    @Test
    void shouldSayWhatItWaitsForWhenServersAreSlowToStart(@TempDir Path directory) throws Exception {
        Path go = directory.resolve("go");
        job = new JobHarness("true").noticeMs(300).server("[ $TRIBUTARY_NODE = 0 ] || " + waitFor(go)
            + JobHarness.OBEDIENT_SERVER);
        createWhen(() -> job.errors().lines().count() >= 2, go); // after 0.3 s, and again
        assertEquals(0, job.run());
        assertTrue(job.errors().lines().anyMatch(line -> line.matches(
            "tributary: still waiting for the server of node 1 \\(\\d+ s of 60.0 s, about \\d+ s left\\)")),
            job.errors());
    }

    /** A line of a shell script. */
    private static String waitFor(Path file) {
        return "until [ -e '" + file + "' ]; do sleep 0.05; done\n";
    }

    private void createWhen(BooleanSupplier condition, Path file) {
        creator = JobHarness.meanwhile(() -> {
            JobHarness.await(condition);
            try {
                Files.createFile(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void shouldSayWhatIsAwaitedWhenAskedWhileServersStart(@TempDir Path directory) throws Exception {
        Path go = directory.resolve("go");
        job = new JobHarness("true").lenient().server("[ $TRIBUTARY_NODE = 0 ] || " + waitFor(go)
            + JobHarness.OBEDIENT_SERVER);
        createWhen(() -> job.errors().contains("(SIGQUIT)"), go);
        assertEquals(0, job.runWithSignal(() -> true, ExitCodes.SIGQUIT));
        assertTrue(job.errors().matches("tributary: starting for [\\d.]+ s, waiting for the servers? of nodes?"
            + " (0, )?1 \\(SIGQUIT\\)\n"), job.errors());
    }

    @Test
    void shouldSayWhatHasNotEndedWhenAskedWhileServersEnd(@TempDir Path directory) throws Exception {
        Path go = directory.resolve("go");
        Path ending = directory.resolve("ending");
        job = new JobHarness("true").lenient().server(JobHarness.OBEDIENT_SERVER.replace("end) exit 0",
            "end) : > '" + ending + "'\n" + waitFor(go) + "exit 0"));
        createWhen(() -> job.errors().contains("  no node of the job is there"), go);
        assertEquals(0, job.runWithSignal(() -> Files.exists(ending), ExitCodes.SIGUSR1));
        assertTrue(job.errors().matches("tributary: all ranks have ended well; what has not ended: server of node 0"
            + " \\(pid \\d+\\), server of node 1 \\(pid \\d+\\) \\(SIGUSR1\\)\n"
            + "tributary: who waits for whom \\(SIGUSR1\\):\n(?s).*"), job.errors());
    }

    @Test
    void shouldSayWhatHasNotEndedWhenAskedWhileTheJobIsEnded(@TempDir Path directory) throws Exception {
        Path go = directory.resolve("go");
        job = new JobHarness("trap 'echo up' INT; echo up; " + waitFor(go)).lenient();
        createWhen(() -> job.errors().contains("  no node of the job is there"), go);
        assertEquals(130, job.runWithSignals("up", ExitCodes.SIGINT, ExitCodes.SIGQUIT));
        assertTrue(job.errors().contains("tributary: the job is being ended; what has not ended: rank 0 (node 0, pid "),
            job.errors());
        assertTrue(job.errors().contains("tributary: who waits for whom (SIGQUIT):\n"), job.errors());
    }

    @Test
    void shouldEndWith124WhenTimeIsUpBeforeRanksStart() throws Exception {
        job = new JobHarness("echo started").timeoutMs(500).server("sleep 100");
        assertEquals(ExitCodes.TIMEOUT, job.run());
        assertEquals("tributary: ending the job: it has not started within 0.5 s (--timeout); servers of nodes 0, 1 not"
            + " ready\n", job.errors());
        assertEquals("", job.output());
    }

    /** Ranks start within these seconds, of which all but one have passed. */
    @Test
    void shouldCountTheTimeFromAnEarlierStartWhenTheJobIsAnother() throws Exception {
        job = new JobHarness("sleep 100").timeoutMs(TIMEOUT_NS / 1_000_000).startedAgoNs(TIMEOUT_NS - 1_000_000_000L);
        long startNs = System.nanoTime();
        assertEquals(ExitCodes.TIMEOUT, job.run());
        assertTrue(job.errors().contains(" 30.0 s (--timeout)"), job.errors());
        assertTrue(System.nanoTime() - startNs < TIMEOUT_NS);
    }

    @Test
    void shouldEndWith124WhenTimeIsUp() throws Exception {
        for (long seconds = 3; job == null || !job.output().contains("up"); seconds *= 2) { // until all can start in it
            job = new JobHarness("echo up; exec sleep 100").timeoutMs(seconds * 1_000).lenient();
            assertEquals(ExitCodes.TIMEOUT, job.run());
        }
        assertTrue(job.errors().matches("(?s).* it ran longer than [\\d.]+ s \\(--timeout\\)\n.*"), job.errors());
        assertFalse(job.hasLost());
        assertTrue(job.errors().startsWith("tributary: what the job does as its time is up (--timeout):"),
            job.errors());
    }

    @Test
    void shouldForwardSignalWhenInterrupted() throws Exception {
        job = new JobHarness("trap 'echo got it; exit 0' INT; echo up; sleep 100 & wait").lenient();
        assertEquals(130, job.runWithSignals("up", ExitCodes.SIGINT));
        assertEquals(4, job.output().lines().filter(line -> line.endsWith("got it")).count(), job.output());
    }

    @Test
    void shouldLetRanksAloneIgnoreQuitWhenTheyDoNotExpectIt() throws Exception {
        job = new JobHarness("kill -QUIT $$; echo alive").lenient();
        assertEquals(0, job.run(), job.errors());
        assertEquals(4, job.output().lines().filter(line -> line.endsWith("alive")).count(), job.output());
        String ignored = ProcessFiles.own().text("status").replaceFirst("(?s).*\\nSigIgn:\\s*(\\w+)\\n.*", "$1");
        assertEquals(0, Long.parseUnsignedLong(ignored, 16) & 1L << ExitCodes.SIGQUIT - 1, ignored);
    }

    @Test
    void shouldEndWith143WhenTerminated() throws Exception {
        job = new JobHarness("echo up; sleep 100");
        assertEquals(143, job.runWithSignals("up", ExitCodes.SIGTERM));
        assertTrue(job.errors().contains("SIGTERM"), job.errors());
    }

    @Test
    void shouldNameTheProcessesWhenNothingEndsThem() throws Exception {
        job = new JobHarness("trap 'echo up' INT; trap '' TERM; echo up; while :; do sleep 0.05; done").topology(1, 1)
            .lenient().immortal();
        long startNs = System.nanoTime();
        assertEquals(130, job.runWithSignals("up", ExitCodes.SIGINT, ExitCodes.SIGINT));
        assertTrue(job.errors().matches("(?s).*\ntributary: processes outlive SIGKILL: rank 0 \\(node 0, pid .*"),
            job.errors());
        assertTrue(System.nanoTime() - startNs < LONG_NS, "waits for job.grace, which cannot help");
        JobHarness.await(() -> job.leftOver().isEmpty());
    }

    @Test
    void shouldKillAtOnceWhenInterruptedTwice() throws Exception {
        job = new JobHarness("trap 'echo up' INT; trap '' TERM; echo up; while :; do sleep 0.05; done")
            .lenient();
        long startNs = System.nanoTime();
        assertEquals(130, job.runWithSignals("up", ExitCodes.SIGINT, ExitCodes.SIGINT));
        assertTrue(System.nanoTime() - startNs < LONG_NS);
    }

    /** The interrupt reaches rank 0 before the launcher. */
    @Test
    void shouldLeaveRanksTheirTimeWhenTheFirstInterruptComesBehindTheRankThatItEnds(@TempDir Path directory)
        throws Exception {
        Path go = directory.resolve("go");
        Path ready = directory.resolve("ready");
        job = new JobHarness("if [ $TRIBUTARY_RANK = 0 ]; then " + waitFor(ready) + "exit 1; fi; trap '"
            + waitFor(go).replace("'", "").strip() + "; echo checkpoint; exit 0' TERM; : > '" + ready
            + "'; while :; do sleep 0.05; done").topology(1, 2).patient().lenient();
        createWhen(() -> job.errors().contains("SIGINT"), go);
        assertEquals(130, job.runWithSignal(() -> job.errors().contains("exited with code 1"), ExitCodes.SIGINT));
        assertEquals("[1] checkpoint\n", job.output());
    }

    @Test
    void shouldKillWithTheCodeOfTheFailureWhenTwoInterruptsComeWhileTheJobIsEnded(@TempDir Path directory)
        throws Exception {
        Path ready = directory.resolve("ready");
        job = new JobHarness("if [ $TRIBUTARY_RANK = 0 ]; then " + waitFor(ready) + "exit 7; fi; trap '' TERM; : > '"
            + ready + "'; while :; do sleep 0.05; done").topology(1, 2).hasty().lenient();
        CompletableFuture<Void> sender = JobHarness.meanwhile(() -> {
            JobHarness.await(() -> job.errors().contains("exited with code 7"));
            job.signal(ExitCodes.SIGINT);
            JobHarness.await(() -> job.errors().contains("received SIGINT while the job is being ended; a second"));
            job.signal(ExitCodes.SIGINT);
        });
        long startNs = System.nanoTime();
        assertEquals(7, job.run());
        assertTrue(System.nanoTime() - startNs < LONG_NS);
        sender.join();
    }

    @Test
    void shouldEndOrphansWhenRanksHaveExited() throws Exception {
        job = new JobHarness("(trap '' HUP; sleep 100 >/dev/null 2>&1) & exit 0").topology(1, 2);
        assertEquals(0, job.run());
    }

    /** The process is found, and what it starts when it is ended is found later. */
    @Test
    void shouldEndWhatAnOrphanStartsWhenItIsEnded(@TempDir Path folder) throws Exception {
        Path ready = folder.resolve("ready");
        job = new JobHarness("(trap 'sleep 100 & exit' TERM; touch " + ready + "; while :; do sleep 0.02; done)"
            + " >/dev/null 2>&1 & while [ ! -e " + ready + " ]; do sleep 0.01; done; exit 0").topology(1, 1);
        assertEquals(0, job.run());
        assertTrue(Files.exists(ready));
    }

    /** What the pipe holds is read after the end of all processes. */
    @Test
    void shouldLoseNothingWhenTheReaderIsSlow() throws Exception {
        Pager pager = new Pager();
        job = new JobHarness("yes | head -n 30000").topology(1, 1).plain().lenient().reader(pager);
        CompletableFuture<Void> reader = JobHarness.meanwhile(() -> {
            afterTheEndOfAll();
            pager.read();
        });
        assertEquals(0, job.run(), job::errors);
        assertEquals(30_000, pager.text().lines().filter("y"::equals).count());
        assertEquals("", job.errors());
        reader.join();
    }

    /** And for longer than processes may hold an output open. */
    private void afterTheEndOfAll() {
        JobHarness.await(() -> job.isClosing());
        LockSupport.parkNanos(2_500_000_000L);
    }

    @Test
    void shouldDropOutputSayingSoWhenASignalComesWhileTheReaderIsSlow() throws Exception {
        Pager pager = new Pager();
        job = new JobHarness("yes | head -n 30000").topology(1, 1).lenient().reader(pager);
        CompletableFuture<Void> sender = JobHarness.meanwhile(() -> {
            afterTheEndOfAll();
            job.signal(ExitCodes.SIGINT);
        });
        assertEquals(130, job.run(), job::errors);
        assertEquals("tributary: dropping output that has not been read: received SIGINT\n", job.errors());
        assertEquals("", pager.text());
        pager.read();
        sender.join();
    }

    @Test
    void shouldNotWaitForAReaderForEverWhenASignalHasEndedTheJob(@TempDir Path folder) throws Exception {
        Path ready = folder.resolve("ready");
        Pager pager = new Pager();
        job = new JobHarness(": >" + ready + "; exec yes").topology(1, 1).reader(pager);
        CompletableFuture<Void> sender = JobHarness.meanwhile(() -> {
            JobHarness.await(() -> Files.exists(ready));
            job.signal(ExitCodes.SIGTERM);
        });
        assertEquals(143, job.run(), job::errors);
        assertEquals("", pager.text());
        pager.read();
        sender.join();
    }

    @Test
    void shouldNotWaitForOutputWhenAProcessOfAnotherNameHoldsIt() throws Exception {
        job = new JobHarness("env -i setsid sleep 1000 & echo $!").topology(1, 1).plain().attentive();
        long startNs = System.nanoTime();
        assertEquals(0, job.run(), job::errors);
        assertTrue(System.nanoTime() - startNs < LONG_NS);
        ProcessHandle.of(Long.parseLong(job.output().strip())).ifPresent(ProcessHandle::destroyForcibly);
    }

    /** As a file on a full disk. */
    @Test
    void shouldGoOnAndSayThatOutputIsMissingWhenItCannotBeWritten() throws Exception {
        try (OutputStream full = Files.newOutputStream(Path.of("/dev/full"))) {
            job = new JobHarness("yes | head -n 30000; echo done >&2").topology(1, 1).plain().lenient().file(full);
            assertEquals(ExitCodes.FAILURE, job.run());
        }
        assertEquals("done\ntributary: output is missing: it could not be written: No space left on device\n",
            job.errors());
    }

    @Test
    void shouldKeepTheCodeOfTheRankWhenOutputCannotBeWritten() throws Exception {
        try (OutputStream full = Files.newOutputStream(Path.of("/dev/full"))) {
            job = new JobHarness("echo lost; exit 7").topology(1, 1).file(full);
            assertEquals(7, job.run());
        }
        assertTrue(job.errors().contains("output is missing: "), job.errors());
    }

    @Test
    void shouldLoseNothingWhenLineIsHuge() throws InterruptedException, IOException {
        job = new JobHarness("head -c 1000000 /dev/zero | tr '\\0' x; echo").topology(1, 1);
        assertEquals(0, job.run());
        assertEquals(1_000_000, job.output().chars().filter(c -> c == 'x').count());
    }
}
