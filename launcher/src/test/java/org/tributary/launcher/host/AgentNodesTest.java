package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.ProcessFiles;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;
import org.tributary.launcher.cli.Version;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.Job;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.JobProcesses;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.StandardInput;

/** Jobs whose hosts are this machine under other names, whose servers and ranks are shell scripts. */
class AgentNodesTest {
    /** Does as much of what a server does as its launcher notices: also ends all when that has died. */
    private static final String OBEDIENT_SERVER = """
        echo "tributary server ready: node $TRIBUTARY_NODE, address 127.0.0.1:$((1000 + TRIBUTARY_NODE)), pid $$"
        while read -r line; do
            case $line in
                end) exit 0 ;;
                abort*) exit 1 ;;
                pid*) pids="$pids ${line#pid}"; : > "$(dirname "$TRIBUTARY_SECRET_FILE")/told" ;;
            esac
        done
        kill $pids
        rm -r "$(dirname "$TRIBUTARY_SECRET_FILE")"
        exit 1
        """;
    /** The agent is a process below it: one that calls itself as it is called. */
    private static final String NAMED = "exec unshare -u sh -c 'hostname \"$0\"; exec \"$@\"' \"$host\" \"$@\"\n";
    private static final String AS_IT_IS = "exec \"$@\"\n";
    private static final String RELEASE = Version.release();
    private static final long DEADLINE_S = 50;

    @TempDir
    private Path directory;
    private final String jobId = "hosts-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private String server = OBEDIENT_SERVER;
    private InputStream input = InputStream.nullInputStream();
    private Map<String, String> variables = Map.of("GREETING", "hello");
    private Job job;

    @BeforeEach
    void shouldHaveSetsid() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "no setsid (util-linux) here");
    }

    @Test
    void shouldRunRanksOnTheirHostsWhenAllIsWell() throws Exception {
        assumeNamesCanBeGiven();
        assertEquals(0, run("echo \"I am on $(hostname), $GREETING\"; echo oh >&2", "a:2", "b:1", NAMED), errors());
        assertEquals(List.of("[0 a] I am on a, hello", "[1 a] I am on a, hello", "[2 b] I am on b, hello"),
            output().lines().sorted().toList());
        assertEquals(3, errors().lines().filter(line -> line.endsWith("] oh")).count(), errors());
    }

    @Test
    void shouldReportProblemsOfAllHostsWhenSomeCannotTakePart() throws Exception {
        int code = run("echo never", "lost:1", "old:1", """
            case $host in
                lost) echo "Could not resolve hostname lost" >&2; exit 255 ;;
                old) echo "Welcome to old"; echo "tributary agent 0.0.1"; sleep 30 ;;
            esac
            """);
        assertEquals(ExitCodes.USAGE, code);
        assertTrue(errors().contains("nothing was started: 2 of 2 hosts have problems"), errors());
        assertTrue(errors().contains("  lost: Could not resolve hostname lost (") && errors().contains("code 255"),
            errors());
        assertTrue(errors().contains("  old: has Tributary 0.0.1, and the launcher is " + RELEASE
            + "; install one release"), errors());
        assertEquals("", output());
    }

    @Test
    void shouldSayWhatIsMissingWhenHostDiffersFromTheLaunchers() throws Exception {
        server = null;
        assertEquals(ExitCodes.USAGE, run("echo never", "a:1", null, AS_IT_IS));
        assertTrue(errors().contains("  a: cannot execute /no/such/server; install it at the same place"), errors());
    }

    @Test
    void shouldNameBothWhenTwoHostsAreOneMachine() throws Exception {
        assertEquals(ExitCodes.USAGE, run("echo never", "a:1", "b:1", AS_IT_IS));
        assertTrue(errors().matches("(?s).*  [ab]: is the same machine as [ab]; name each machine once.*"), errors());
    }

    @Test
    void shouldTellWhyWhenServersCannotStart() throws Exception {
        server = "echo 'tributary: no room for the control file' >&2; exit 1";
        assertEquals(ExitCodes.USAGE, run("echo never", "a:1", null, AS_IT_IS));
        assertTrue(errors().contains("1 of 1 hosts has a problem\n  a: no room for the control file"), errors());
    }

    @Test
    void shouldIgnoreWhatShellsPrintWhenTheyDoBeforeTheAgent() throws Exception {
        assertEquals(0, run("echo fine", "a:1", null, "echo 'Welcome to a'; echo 'a warning' >&2\n" + AS_IT_IS),
            errors());
        assertEquals("[0 a] fine\n", output());
    }

    @Test
    void shouldLoseNoLineWhenThereAreMoreThanTheConnectionHolds() throws Exception {
        assertEquals(0, run("seq 200000; seq 1000 >&2", "a:2", null, AS_IT_IS), errors());
        assertEquals(400_000, output().lines().count());
        assertEquals(2_000, errors().lines().count());
        assertTrue(output().endsWith(" 200000\n"));
    }

    @Test
    void shouldGiveInputToRank0WhenItsHostIsAnother() throws Exception {
        byte[] lines = "some line\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        input = new ByteArrayInputStream(lines);
        assertEquals(0, run("wc -c", "a:2", null, AS_IT_IS), errors());
        assertEquals(List.of("[0 a] " + lines.length, "[1 a] 0"), output().lines().sorted().toList());
    }

    @Test
    void shouldTakeNoMoreInputThanTheWindowWhenRank0DoesNotRead() throws Exception {
        AtomicLong given = new AtomicLong();
        input = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }

            @Override
            public int read(byte[] to, int offset, int length) {
                given.addAndGet(length);
                return length;
            }
        };
        assertEquals(0, run("[ $TRIBUTARY_RANK = 0 ] && exec sleep 1; seq 100000", "a:2", null, AS_IT_IS), errors());
        assertEquals(100_000, output().lines().count());
        assertTrue(given.get() <= 4 * AgentOutput.WINDOW, () -> given + " bytes");
    }

    @Test
    void shouldEndEverythingWhenARankFails() throws Exception {
        assertEquals(7, run("[ $TRIBUTARY_RANK = 0 ] && exit 7; sleep 1000", "a:2", null, AS_IT_IS));
        assertTrue(errors().matches("(?s).*rank 0 \\(node 0, host a, pid [0-9]+\\) exited with code 7.*"), errors());
    }

    /** Each host has a folder of its own at the place of that. */
    @Test
    void shouldHaveTracesOfAllHostsWhenRanksHaveRecorded() throws Exception {
        assumeNamesCanBeGiven();
        Path folder = Files.createDirectories(directory.resolve("traces"));
        for (String host : List.of("a", "b")) {
            Files.createDirectories(directory.resolve("folder-" + host));
        }
        variables = Map.of("TRIBUTARY_TRACE", folder.toString());
        assertEquals(3, run("echo rank $TRIBUTARY_RANK > $TRIBUTARY_TRACE/$TRIBUTARY_JOB_ID.$TRIBUTARY_RANK.trace\n"
            + "[ $TRIBUTARY_RANK = 0 ] && sleep 1; exit 3", "a:2", "b:1", "exec unshare -m -u sh -c 'hostname \"$0\"; "
            + "mount --bind " + directory + "/folder-$0 " + folder + "; exec \"$@\"' \"$host\" \"$@\"\n"), errors());
        for (int rank = 0; rank < 3; rank++) {
            assertEquals("rank " + rank + "\n", Files.readString(folder.resolve(jobId + "." + rank + ".trace")));
        }
        assertTrue(Files.readAllLines(folder.resolve(jobId + ".clocks")).size() >= 3, errors());
        assertTrue(!errors().contains("traces"), errors());
    }

    @Test
    void shouldCollectNoTracesWhenNothingWasStarted() throws Exception {
        server = null;
        Path folder = directory.resolve("traces");
        variables = Map.of("TRIBUTARY_TRACE", folder.toString());
        assertEquals(ExitCodes.USAGE, run("echo never", "a:1", null, AS_IT_IS));
        assertTrue(Files.notExists(folder.resolve(jobId + ".clocks")));
    }

    @Test
    void shouldPassSignalOnWhenInterrupted() throws Exception {
        Thread sender = Thread.ofVirtual().start(() -> {
            await("running");
            job.signal(2);
        });
        assertEquals(130, run("trap 'echo interrupted; exit 3' INT; echo running; while :; do sleep 0.1; done", "a:1",
            null, "exec env --default-signal=INT \"$@\"\n"));
        sender.join();
        assertTrue(output().contains("interrupted"), output());
    }

    @Test
    void shouldEndJobWhenAgentDies() throws Exception {
        Thread killer = Thread.ofVirtual().start(() -> {
            await("running");
            agents().forEach(ProcessHandle::destroyForcibly);
        });
        assertEquals(ExitCodes.FAILURE, run("""
            until [ -e "$(dirname "$TRIBUTARY_SECRET_FILE")/told" ]; do sleep 0.05; done
            echo running
            exec sleep 1000
            """, "a:1", null, AS_IT_IS));
        killer.join();
        assertTrue(errors().contains("the connection to host a (node 0) has ended"), errors());
    }

    private Stream<ProcessHandle> agents() {
        return ProcessHandle.current().descendants()
            .filter(process -> ProcessFiles.of(process).commandLine().getLast().equals("agent"));
    }

    private int run(String rankScript, String first, String second, String launch) throws Exception {
        List<Host> hosts = Hosts.parse(second == null ? first : first + "," + second);
        Topology topology = Hosts.layout(hosts, null, null);
        Settings settings = Settings.builder().set("job.grace=5s").set("attach.timeout=45s").build();
        JobPlan plan = new JobPlan(topology, settings,
            server == null ? List.of("/no/such/server") : List.of("/bin/sh", "-c", server),
            List.of("/bin/sh", "-c", rankScript), variables, true, 0, false);
        Path command = Files.createFile(directory.resolve("launch"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(command, "#!/bin/sh\nhost=$1; shift\n" + launch);
        LineSink errors = new LineSink(err);
        List<String> names = hosts.stream().map(Host::name).toList();
        LaunchCommand way = LaunchCommand.parse(command.toString());
        Optional<HostTraces> traces = HostTraces.of(plan, jobId, names, way, RELEASE, errors);
        job = new Job(plan, events -> new AgentNodes(plan, jobId, names, way, BindPolicy.NONE, RELEASE, events,
            StandardInput.of(input), new LineSink(out), errors).recordedBy(traces), errors);
        int code = job.run();
        if (traces.isPresent()) {
            traces.get().collect();
        }
        assertNothingLeft();
        return code;
    }

    private void assertNothingLeft() throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!JobProcesses.ofJob(jobId).running().isEmpty() || agents().findAny().isPresent() || !files().isEmpty()) {
            assertTrue(System.nanoTime() < deadlineNs, "left: " + JobProcesses.ofJob(jobId).running() + files());
            LockSupport.parkNanos(5_000_000);
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().contains(jobId)).toList();
        }
    }

    private void await(String text) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!output().contains(text) && System.nanoTime() < deadlineNs) {
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static void assumeNamesCanBeGiven() throws Exception {
        Process unshare = new ProcessBuilder("unshare", "-u", "true").redirectErrorStream(true).start();
        assumeTrue(unshare.waitFor() == 0, "no host names of their own here (unshare -u, as root)");
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
