package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.tributary.launcher.host.JobOnHosts.AS_IT_IS;
import static org.tributary.launcher.host.JobOnHosts.NAMED;
import static org.tributary.launcher.host.JobOnHosts.RELEASE;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.Pager;

/** Jobs whose hosts are this machine under other names, whose servers and ranks are shell scripts. */
class AgentNodesTest {
    @TempDir
    private Path directory;
    private JobOnHosts job;

    @BeforeEach
    void makeJob() {
        job = new JobOnHosts(directory);
    }

    @Test
    void shouldRunRanksOnTheirHostsWhenAllIsWell() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven();
        assertEquals(0, job.run("echo \"I am on $(hostname), $GREETING\"; echo oh >&2", "a:2,b:1", NAMED),
            job.errors());
        assertEquals(List.of("[0 a] I am on a, hello", "[1 a] I am on a, hello", "[2 b] I am on b, hello"),
            job.output().lines().sorted().toList());
        assertEquals(3, job.errors().lines().filter(line -> line.endsWith("] oh")).count(), job.errors());
    }

    @Test
    void shouldLetRanksIgnoreQuitWhenAnAgentStartsThem() throws Exception {
        assertEquals(0, job.run("kill -QUIT $$; echo alive", "a:1", AS_IT_IS), job.errors());
        assertEquals("[0 a] alive\n", job.output());
    }

    /** Which it ignores while it starts ranks, and expects later. */
    @Test
    void shouldGoOnWhenAnAgentItselfGetsQuit() throws Exception {
        assertEquals(0, job.run("""
            while grep -qs tributary-quit /proc/$PPID/task/*/comm; do sleep 0.05; done
            until [ $((0x$(sed -n 's/^SigIgn:.//p' /proc/$PPID/status) & 4)) = 0 ]; do sleep 0.05; done
            kill -QUIT $PPID; sleep 0.5; echo alive
            """, "a:1", AS_IT_IS), job.errors());
        assertEquals("[0 a] alive\n", job.output());
        assertEquals("", job.errors());
    }

    @Test
    void shouldReportProblemsOfAllHostsWhenSomeCannotTakePart() throws Exception {
        int code = job.run("echo never", "lost:1,old:1", """
            case $host in
                lost) echo "Could not resolve hostname lost" >&2; exit 255 ;;
                old) echo "Welcome to old"; echo "tributary agent 0.0.1"; sleep 30 ;;
            esac
            """);
        assertEquals(ExitCodes.USAGE, code);
        assertTrue(job.errors().contains("nothing was started: 2 of 2 hosts have problems"), job.errors());

        assertTrue(job.errors().contains("  lost: Could not resolve hostname lost (")
            && job.errors().contains("code 255"), job.errors());
        assertTrue(job.errors().contains("  old: has Tributary 0.0.1, and the launcher is " + RELEASE
            + "; install one release"), job.errors());
        assertEquals("", job.output());
    }

    @Test
    void shouldSayWhatIsMissingWhenHostDiffersFromTheLaunchers() throws Exception {
        job.server("/no/such/server");
        assertEquals(ExitCodes.USAGE, job.run("echo never", "a:1", AS_IT_IS));
        assertTrue(job.errors().contains("  a: cannot execute /no/such/server; install it at the same place"),
            job.errors());
    }

    /** Inboxes of collectives with large chunks do not fit there. */
    @Test
    void shouldSayHowMuchSharedMemoryTheLayoutNeedsWhenAHostHasLess() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven(); // as root
        job.set("collective.chunk=1m");
        assertEquals(ExitCodes.USAGE, job.run("echo never", "a:4,lost:1", """
            [ $host = lost ] && exit 9
            exec unshare -m sh -c 'mount -t tmpfs -o size=8m none /dev/shm; exec "$@"' sh "$@"
            """));
        assertTrue(job.errors().matches("(?s).*  a: has 8192 KiB free in /dev/shm, and a server needs [1-9][0-9]{5} KiB"
            + " before any allocation; free some or enlarge the mount\n.*"), job.errors());
        assertTrue(job.errors().matches("(?s).*  lost: .*code 9.*"), job.errors());
    }

    @Test
    void shouldNameBothWhenTwoHostsAreOneMachine() throws Exception {
        assertEquals(ExitCodes.USAGE, job.run("echo never", "a:1,b:1", AS_IT_IS));
        assertTrue(job.errors().matches("(?s).*  [ab]: is the same machine as [ab]; name each machine once.*"),
            job.errors());
    }

    /** Machines differ by their /dev/shm here. */
    @Test
    void shouldNameBothWhenTwoMachinesHaveOneHostName() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven();
        assertEquals(ExitCodes.USAGE, job.run("echo never", "a:1,b:1", "exec unshare -m -u sh -c "
            + "'hostname twin; mount -t tmpfs none /dev/shm; exec \"$@\"' sh \"$@\"\n"));
        assertTrue(job.errors().matches("(?s)tributary: nothing was started: 1 of 2 hosts has a problem\n"
            + "  (a: calls itself twin, as b|b: calls itself twin, as a) does;"
            + " give each machine a host name of its own\n"), job.errors());
        assertEquals("", job.output());
    }

    @Test
    void shouldTellWhyWhenServersCannotStart() throws Exception {
        job.server("/bin/sh", "-c", "echo 'tributary: no room for the control file' >&2; exit 1");
        assertEquals(ExitCodes.USAGE, job.run("echo never", "a:1", AS_IT_IS));
        assertTrue(job.errors().contains("1 of 1 hosts has a problem\n  a: no room for the control file"),
            job.errors());
    }

    @Test
    void shouldReportATakenPortBesideOtherProblemsWhenServersHaveAFixedOne() throws Exception {
        try (ServerSocket requests = new ServerSocket(0); ServerSocket metrics = new ServerSocket(0)) {
            job.set("server.port=" + requests.getLocalPort()).set("server.bind-address=0.0.0.0")
                .set("server.metrics-port=" + metrics.getLocalPort()).set("server.metrics-address=0.0.0.0");
            assertEquals(ExitCodes.USAGE, job.run("echo never", "a:1,lost:1", "[ $host = lost ] && exit 9\n"
                + AS_IT_IS));
            String said = job.errors();
            assertTrue(said.contains("nothing was started: 2 of 2 hosts have problems"), said);
            assertTrue(said.contains("  a: cannot listen at 0.0.0.0 (server.bind-address) port "
                + requests.getLocalPort() + " (server.port): Address already in use"), said);
            assertTrue(said.contains("  a: cannot listen at 0.0.0.0 (server.metrics-address) port "
                + metrics.getLocalPort() + " (server.metrics-port): Address already in use"), said);
            assertTrue(said.matches("(?s).*  lost: .*code 9.*"), said);
        }
    }

    @Test
    void shouldReportTheLaunchersProblemBesideThoseOfHostsWhenItHasOne() throws Exception {
        job.problems("dashboard: cannot listen");
        assertEquals(ExitCodes.USAGE, job.run("echo never", "a:1,lost:1", "[ $host = lost ] && exit 9\n"
            + AS_IT_IS));
        assertTrue(job.errors().matches("(?s)tributary: nothing was started: 1 of 2 hosts has a problem, and so has"
            + " this machine\n  this machine: dashboard: cannot listen\n  lost: .*code 9.*"), job.errors());
        assertEquals("", job.output());
    }

    @Test
    void shouldReportTheLayoutsProblemsBesideThoseOfHostsAndOfTheLauncherWhenItDoesNotFit() throws Exception {
        job.layoutProblems("2,2 does not fit").problems("dashboard: cannot listen");
        assertEquals(ExitCodes.USAGE, job.run("echo never", "a:1,lost:1", "[ $host = lost ] && exit 9\n"
            + AS_IT_IS));
        assertTrue(job.errors().matches("(?s)tributary: nothing was started: 1 of 2 hosts has a problem, and so have"
            + " the layout and this machine\n  the layout: 2,2 does not fit\n  this machine: dashboard: cannot listen\n"
            + "  lost: .*code 9.*"), job.errors());
        assertEquals("", job.output());
    }

    @Test
    void shouldStartNothingWhenOnlyTheLaunchersMachineHasAProblem() throws Exception {
        job.problems("dashboard: cannot listen");
        assertEquals(ExitCodes.USAGE, job.run("echo never", "a:1", AS_IT_IS));
        assertEquals("tributary: nothing was started: this machine has a problem\n"
            + "  this machine: dashboard: cannot listen\n", job.errors());
        assertEquals("", job.output());
    }

    @Test
    void shouldIgnoreWhatShellsPrintWhenTheyDoBeforeTheAgent() throws Exception {
        assertEquals(0, job.run("echo fine", "a:1", "echo 'Welcome to a'; echo 'a warning' >&2\n" + AS_IT_IS),
            job.errors());
        assertEquals("[0 a] fine\n", job.output());
    }

    /** A window's title, for example. */
    @Test
    void shouldStartWhenAShellPrintsTextWithoutALineEndBeforeTheAgent() throws Exception {
        assertEquals(0, job.run("echo fine", "a:1", "printf '\\033]0;a\\007'\n" + AS_IT_IS), job.errors());
        assertEquals("[0 a] fine\n", job.output());
    }

    @Test
    void shouldLoseNoLineWhenThereAreMoreThanTheConnectionHolds() throws Exception {
        assertEquals(0, job.run("seq 200000; seq 1000 >&2", "a:2", AS_IT_IS), job.errors());
        assertEquals(400_000, job.output().lines().count());
        assertEquals(2_000, job.errors().lines().count());
        assertTrue(job.output().endsWith(" 200000\n"));
    }

    /** Some is in the launcher, some in the agent, and some in the rank's pipe when its process has ended. */
    @Test
    void shouldLoseNothingWhenTheReaderIsSlow() throws Exception {
        Pager pager = new Pager();
        Path ended = directory.resolve("ended");
        CompletableFuture<Void> reader = JobOnHosts.meanwhile(() -> {
            job.await(() -> Files.exists(ended));
            LockSupport.parkNanos(3_500_000_000L); // longer than processes may hold an output open, at both ends
            pager.read();
        });
        job.reader(pager).set("job.grace=100ms");
        assertEquals(0, job.run("yes | head -n 15000; : > '" + ended + "'", "a:1", AS_IT_IS), job.errors());
        assertEquals(15_000, pager.text().lines().filter("[0 a] y"::equals).count());
        assertEquals(List.of(), job.errors().lines().filter(line -> !line.matches(
            "tributary: all ranks have ended well; what has not ended within 1.1 s of them is ended: server of .*"))
            .toList()); // the server may need longer than that
        reader.join();
    }

    @Test
    void shouldGiveInputToRank0WhenItsHostIsAnother() throws Exception {
        byte[] lines = "some line\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        job.input(new ByteArrayInputStream(lines));
        assertEquals(0, job.run("wc -c", "a:2", AS_IT_IS), job.errors());
        assertEquals(List.of("[0 a] " + lines.length, "[1 a] 0"), job.output().lines().sorted().toList());
    }

    @Test
    void shouldTakeNoMoreInputThanTheWindowWhenRank0DoesNotRead() throws Exception {
        AtomicLong given = new AtomicLong();
        job.input(new InputStream() {
            @Override
            public int read() {
                return 'x';
            }

            @Override
            public int read(byte[] to, int offset, int length) {
                given.addAndGet(length);
                return length;
            }
        });
        assertEquals(0, job.run("[ $TRIBUTARY_RANK = 0 ] && exec sleep 1; seq 100000", "a:2", AS_IT_IS), job.errors());
        assertEquals(100_000, job.output().lines().count());
        assertTrue(given.get() <= 4 * AgentOutput.WINDOW, () -> given + " bytes");
    }

    @Test
    void shouldEndEverythingWhenARankFails() throws Exception {
        assertEquals(7, job.run("[ $TRIBUTARY_RANK = 0 ] && exit 7; sleep 1000", "a:2", AS_IT_IS));
        assertTrue(job.errors().matches("(?s).*rank 0 \\(node 0, host a, pid [0-9]+\\) exited with code 7.*"),
            job.errors());
    }

    /** Each rank leaves a process behind that holds its output open. */
    @Test
    void shouldAnswerInTimeWhenTheOutputOfManyRanksDoesNotEnd() throws Exception {
        Path left = directory.resolve("left");
        job.set("job.grace=100ms");
        try {
            assertEquals(7, job.run("(env -i setsid sleep 1000 & echo $! >> '" + left + "'); [ $TRIBUTARY_RANK = 79 ]"
                + " || exec sleep 1000; until [ $(wc -l < '" + left + "') = 80 ]; do sleep 0.05; done; exit 7", "a:80",
                AS_IT_IS));
            assertTrue(job.errors().matches("tributary: rank 79 \\(node 0, host a, pid [0-9]+\\) exited with code 7\n"),
                job.errors());
        } finally {
            for (String pid : Files.readAllLines(left)) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    /** Each host has a folder of its own at the place of that. */
    @Test
    void shouldHaveTracesOfAllHostsWhenRanksHaveRecorded() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven();
        Path folder = Files.createDirectories(directory.resolve("traces"));
        for (String host : List.of("a", "b")) {
            Files.createDirectories(directory.resolve("folder-" + host));
        }
        job.variables(Map.of("TRIBUTARY_TRACE", folder.toString()));
        String recorded = directory.resolve("recorded").toString();
        assertEquals(3, job.run("echo rank $TRIBUTARY_RANK > $TRIBUTARY_TRACE/$TRIBUTARY_JOB_ID.$TRIBUTARY_RANK.trace\n"
            + "touch '" + recorded + "'-$TRIBUTARY_RANK; [ $TRIBUTARY_RANK = 0 ] || exit 0\n"
            + "until [ -e '" + recorded + "-1' ] && [ -e '" + recorded + "-2' ]; do sleep 0.05; done\nexit 3",
            "a:2,b:1", "exec unshare -m -u sh -c 'hostname \"$0\"; "
            + "mount --bind " + directory + "/folder-$0 " + folder + "; exec \"$@\"' \"$host\" \"$@\"\n"),
            job::errors);
        for (int rank = 0; rank < 3; rank++) {
            assertEquals("rank " + rank + "\n", Files.readString(folder.resolve(job.id() + "." + rank + ".trace")));
        }
        assertTrue(Files.readAllLines(folder.resolve(job.id() + ".clocks")).size() >= 3, job.errors());
        assertTrue(!job.errors().contains("traces"), job.errors());
    }

    @Test
    void shouldCollectNoTracesWhenNothingWasStarted() throws Exception {
        Path folder = directory.resolve("traces");
        job.server("/no/such/server").variables(Map.of("TRIBUTARY_TRACE", folder.toString()));
        assertEquals(ExitCodes.USAGE, job.run("echo never", "a:1", AS_IT_IS));
        assertTrue(Files.notExists(folder.resolve(job.id() + ".clocks")));
    }

    @Test
    void shouldPassSignalOnWhenInterrupted() throws Exception {
        CompletableFuture<Void> sender = job.signalWhen(() -> job.output().contains("running"), 2);
        assertEquals(130, job.run("trap 'echo interrupted; exit 3' INT; echo running; while :; do sleep 0.1; done",
            "a:1", "exec env --default-signal=INT \"$@\"\n"));
        sender.join();
        assertTrue(job.output().contains("interrupted"), job.output());
    }

    /** It takes the command that reaches it for ever; nothing runs there for which the end could wait. */
    @Test
    void shouldNotWaitForAHostThatHasNotAnsweredWhenInterrupted() throws Exception {
        Path begun = directory.resolve("begun");
        job.set("job.grace=5min");
        CompletableFuture<Void> sender = job.signalWhen(() -> Files.exists(begun), 2);
        assertEquals(130, job.run("echo never", "a:1,c:1", "[ $host = c ] || exec \"$@\"\n: > '" + begun
            + "'; exec sleep 1000\n"));
        sender.join();
        assertEquals("tributary: ending the job: received SIGINT\n", job.errors());
    }

    /** It ends what a rank has left behind, which takes it until the launcher has taken notice of the signal. */
    @Test
    void shouldLeaveAgentsTheirTimeWhenASignalComesAsTheyEndWhatIsLeft() throws Exception {
        Path ending = directory.resolve("ending");
        Path up = directory.resolve("up");
        Path go = directory.resolve("go");
        job.set("job.grace=50s");
        CompletableFuture<Void> sender = JobOnHosts.meanwhile(() -> {
            job.await(() -> Files.exists(ending) && job.isClosing());
            job.signal(ExitCodes.SIGTERM);
            job.await(() -> job.errors().contains("for the agents on hosts to end; a second signal"));
            JobOnHosts.touch(go);
        });
        assertEquals(0, job.run("(trap ': > " + ending + "' TERM; : > " + up + "; until [ -e " + go
            + " ]; do sleep 0.05; done) > /dev/null 2>&1 & until [ -e " + up + " ]; do sleep 0.05; done", "a:1",
            AS_IT_IS), job::errors);
        sender.join();
    }

    @Test
    void shouldGiveUpHostsWhenASecondSignalComesAsTheyDoNotEnd() throws Exception {
        Path ended = directory.resolve("ended");
        job.set("job.grace=5min");
        CompletableFuture<Void> first = job.signalWhen(() -> Files.exists(ended) && job.isClosing(), ExitCodes.SIGTERM);
        CompletableFuture<Void> second = job.signalWhen(() ->
            job.errors().contains("for the agents on hosts to end; a second signal"), ExitCodes.SIGTERM);
        assertEquals(128 + ExitCodes.SIGTERM, job.run("echo done", "a:1", "\"$@\"; : > '" + ended
            + "'; exec sleep 1000\n"), job::errors);
        assertEquals("[0 a] done\n", job.output());
        assertEquals("tributary: waiting for the agents on hosts to end; a second signal gives them up\n"
            + "tributary: giving up hosts whose agents have not ended: received SIGTERM\n", job.errors());
        first.join();
        second.join();
    }

    @Test
    void shouldEndJobWhenAgentDies() throws Exception {
        CompletableFuture<Void> killer = JobOnHosts.meanwhile(() -> {
            job.await(() -> job.output().contains("running"));
            job.agents().forEach(ProcessHandle::destroyForcibly);
        });
        assertEquals(ExitCodes.FAILURE, job.run("""
            until [ -e "$(dirname "$TRIBUTARY_SECRET_FILE")/told" ]; do sleep 0.05; done
            echo running
            exec sleep 1000
            """, "a:1", AS_IT_IS));
        killer.join();
        assertTrue(job.errors().contains("the connection to host a (node 0) has ended"), job.errors());
        assertTrue(job.hasLost());
    }
}
