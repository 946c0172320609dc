package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ProcessFiles;
import org.tributary.config.Topology;
import org.tributary.testsupport.Stopping;
import org.tributary.testsupport.Thorough;
import org.tributary.testsupport.ToleratesErrors;

/** The commands of the launcher as a user gives them. */
class RunTest {
    private static final long IDLE_MS = 5000;
    private static final int IDLE_LOOKS = 4;
    private static final long SHORT_LOOK_MS = 500;
    private static final int SHORT_LOOKS = 20;
    /** The target is 1 % of a core; the rest is for what else runs on the machine of a test. */
    private static final double IDLE_SHARE = 0.02;
    private static final double TICKS_PER_SECOND = 100;
    private static final long LAUNCHER_KIB = 256 << 10;
    private static final int LONGEST_TIMEOUT_S = 90;
    /** Of servers, on this machine; there are more only where there are more processors. */
    private static final int MOST_SERVERS = 4;
    /** For what servers of a thousand nodes reserve: inboxes of collectives, 2 MiB for each rank. */
    private static final long ROOM_BYTES = 4L << 30;

    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    static Stream<String> programs() {
        return Stream.concat(Stream.of("2*2 hello", "2*2 matmul --size 128 --iterations 1",
            "2*2 halo --neighbours 8 --verify",
            "cyclic:2*2 --set cooperation.mode=combine --set cooperation.scope=node halo --neighbours 8 --verify"),
            Thorough.only(Stream.of("2*2 jacobi --size 24", "2*2 random-access --table-log2 16",
                "2*2 ghost-exchange --sync pscw --verify", "cyclic:2*2 matmul --size 128 --iterations 1")));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void shouldVerifyItselfWhenMiniAppRunsOnTwoNodes(String layoutAndProgram) throws Exception {
        String[] words = ("run --set job.grace=20s --layout " + layoutAndProgram).split(" ");
        Running job = place.tributary(words);
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals("", job.err());
        assertFalse(job.out().isEmpty());
        place.assertNothingLeft();
    }

    /** A table of 8 TiB, and two million atoms in 64 MB. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "random-access --table-log2 40             | no room for an allocation on node ",
        "--jvm-option=-Xmx64m md --atoms 2048000   | Java heap space; raise the memory",
        "--jvm-option=-Xmx64m halo --cells 20000 --verify=off | 20000 and --fields 1 have no room in the 6"})
    void shouldSayInOneLineWhatHasNoRoom(String programAndSize, String problem) throws Exception {
        Running job = place.tributary(("run --layout 2*1 " + programAndSize).split(" "));
        assertTrue(Set.of(1, 2).contains(job.exitCode()), job::toString);
        assertTrue(job.err().contains(problem), job::toString);
        assertFalse(job.err().contains("Exception") || job.err().contains("\tat "), job::toString);
        place.assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cyclic:2*2", "cyclic(2):4,3", "map:1,2*0,1", "2(x2)"})
    void shouldPlaceRanksAsTheLayoutSaysWhenItIsInAnyOrder(String layout) throws Exception {
        Running job = place.tributary("run", "--layout", layout, "--", "/bin/sh", "-c",
            "echo $TRIBUTARY_RANK is on $TRIBUTARY_NODE of $TRIBUTARY_LAYOUT");
        assertEquals(0, job.exitCode(), job::toString);
        Topology topology = Topology.parse(layout);
        assertEquals(IntStream.range(0, topology.rankCount()).mapToObj(rank -> "[" + rank + "] " + rank + " is on "
            + topology.nodeOf(rank) + " of " + topology).toList(), job.out().stream().sorted().toList());
        place.assertNothingLeft();
    }

    /** The second node's is the next one. */
    @Test
    void shouldStartNothingWhenPortsOfServersAreTaken() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket requests = new ServerSocket(0, 1, here); ServerSocket page = new ServerSocket(0, 1, here)) {
            Running job = place.tributary("run", "--nodes", "2", "--set", "server.port="
                + (requests.getLocalPort() - 1), "--dashboard=" + page.getLocalPort(), "--", "echo", "never");
            assertEquals(2, job.exitCode(), job::toString);
            assertEquals(List.of(), job.out(), job::toString);
            assertTrue(job.err().contains("tributary: cannot listen at 127.0.0.1 (server.bind-address) port "
                + requests.getLocalPort() + " (server.port): Address already in use"), job::toString);
            assertTrue(job.err().contains("tributary: dashboard: cannot listen at 127.0.0.1 (--dashboard-address) port "
                + page.getLocalPort()), job::toString);
        }
        place.assertNothingLeft();
    }

    @Test
    void shouldReportAListOfHostsThatMakesNoSenseBesideTheProblemsOfHostsWhenItNamesSome() throws Exception {
        Running job = place.tributary("run", "--hosts", "lost:2,,gone:x,a;b", "--launch-agent", "false", "--set",
            "attach.timeout=100s", "--", "echo", "never");
        assertEquals(2, job.exitCode(), job::toString);
        assertTrue(job.err().startsWith("tributary: nothing was started: 2 of 2 hosts have problems, and so has the"
            + " list of hosts\n  the list of hosts: --hosts: a name is missing in 'lost:2,,gone:x,a;b'\n"
            + "  the list of hosts: --hosts: 'x' is no number of ranks\n"
            + "  the list of hosts: --hosts: 'a;b' is no name of a host\n  lost: "), job::toString);
        assertTrue(job.err().contains("\n  gone: "), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldReportTheLayoutBesideAListOfHostsThatMakesNoSenseWhenAllHaveNames() throws Exception {
        Running job = place.tributary("run", "--hosts", "lost:1,gone:x", "--layout", "4,1,1", "--launch-agent", "false",
            "--set", "attach.timeout=100s", "--", "echo", "never");
        assertEquals(2, job.exitCode(), job::toString);
        assertTrue(job.err().contains("\n  the list of hosts: --hosts: 'x' is no number of ranks\n"), job::toString);
        assertTrue(job.err().contains("\n  the layout: 4,2*1 has 3 nodes, and there are 2 hosts; name 1 more with"
            + " --hosts, or use fewer nodes\n  the layout: host lost may have 1 rank, and 4,2*1 wants 4; allow more"
            + " with --hosts lost:4\n"), job::toString);
        assertTrue(job.err().contains("\n  lost: ") && job.err().contains("\n  gone: "), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldReportALayoutThatCannotBeReadBesideAListOfHostsThatMakesNoSense() throws Exception {
        Running job = place.tributary("run", "--hosts", "lost:1,gone:x", "--layout", "2,y", "--launch-agent", "false",
            "--set", "attach.timeout=100s", "--", "echo", "never");
        assertEquals(2, job.exitCode(), job::toString);
        assertTrue(job.err().contains("\n  the list of hosts: --hosts: 'x' is no number of ranks\n"), job::toString);
        assertTrue(job.err().contains("\n  the layout: layout '2,y': "), job::toString);
        assertTrue(job.err().contains("\n  lost: ") && job.err().contains("\n  gone: "), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldSayWhatIsWrongWithSettingsAndWithTheListOfHostsWhenBothMakeNoSense() throws Exception {
        Running job = place.tributary("run", "--hosts", "a:x,b", "--launch-agent", "false", "--set", "server.port=-1",
            "--", "echo", "never");
        assertEquals(2, job.exitCode(), job::toString);
        assertTrue(job.err().startsWith("tributary: --hosts: 'x' is no number of ranks\ntributary: "), job::toString);
        assertTrue(job.err().contains("server.port"), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldPrefixLinesAndPassVariablesWhenExecutableRuns() throws Exception {
        Running job = place.tributary("run", "--nodes", "2", "--ranks-per-node", "2", "--env", "GREETING=good day",
            "--set", "wait.spin=7us", "--", "/bin/sh", "-c", "echo $TRIBUTARY_RANK $GREETING $TRIBUTARY_WAIT_SPIN");
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals(List.of("[0] 0 good day 7us", "[1] 1 good day 7us", "[2] 2 good day 7us", "[3] 3 good day 7us"),
            job.out().stream().sorted().toList());
        place.assertNothingLeft();
    }

    /**
     * Bounds what a launcher needs for itself and for 16 nodes with their processes; the aim is the same for any number
     * of nodes. What agents add, {@code bench start --agents} measures.
     */
    @Test
    void shouldNeedLittleMemoryWhenItHasSixteenNodes() throws Exception {
        Running job = place.tributary("run", "--nodes", "16", "--", "/bin/sh", "-c",
            "echo up; while [ ! -e go ]; do sleep 0.2; done");
        for (int rank = 0; rank < 16; rank++) {
            job.awaitLine("\\[" + rank + "] up");
        }
        Matcher peak = Pattern.compile("VmHWM:\\s*(\\d+) kB").matcher(ProcessFiles.of(job.pid()).text("status"));
        assertTrue(peak.find(), job::toString);
        long kib = Long.parseLong(peak.group(1));
        assertTrue(kib < LAUNCHER_KIB, () -> kib + " KiB");
        Files.createFile(place.work().resolve("go"));
        assertEquals(0, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    static Stream<String> momentsOfAStart() {
        return Stream.concat(Stream.of("server"), Thorough.only(Stream.of("rank")));
    }

    /** As its servers, or its ranks, start: that is so much work for a machine that a user thinks better of it. */
    @ParameterizedTest
    @MethodSource("momentsOfAStart")
    void shouldEndAndLeaveNothingWhenAThousandNodesAreTerminatedAsTheyStart(String moment) throws Exception {
        assumeTrue(Files.getFileStore(place.shm()).getUsableSpace() > ROOM_BYTES, "too little shared memory here");
        Running job = place.tributary("run", "--nodes", "1000", "--ranks-per-node", "1", "--", "sleep", "1000");
        place.await("no " + moment + " has started", () -> moment.equals("server")
            ? !Place.entries(place.shm()).isEmpty() : place.processes().stream().anyMatch(process ->
                ProcessFiles.of(process).commandLine().getFirst().equals("sleep")));
        long servers = place.processes().stream().filter(process ->
            ProcessFiles.of(process).text("cmdline").contains("--supervised")).count();
        assertTrue(servers <= Math.max(MOST_SERVERS, Runtime.getRuntime().availableProcessors()), () -> servers
            + " servers: " + job);
        Place.signal("TERM", job.pid());
        assertEquals(143, job.exitCode(), job::toString);
        assertTrue(job.err().contains("ending the job: received SIGTERM"), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldKeepRankAndServerApartWhenRanksAreBoundToCores() throws Exception {
        BitSet allowed = cpus(ProcessFiles.own().text("status"));
        BitSet core = firstOfSeveralCores(allowed);
        BitSet rest = (BitSet) allowed.clone();
        rest.andNot(core);
        Running job = place.tributary("run", "--bind", "core", "--verbose", "--", "/bin/sh", "-c",
            "grep Cpus_allowed_list /proc/self/status; while [ ! -e go ]; do sleep 0.05; done");
        assertEquals(core, cpus(job.awaitLine("\\[0] Cpus_allowed_list.*").group()));
        assertEquals(rest, cpus(ProcessFiles.of(server(0)).text("status")), "where the server runs");
        assertEquals(allowed, cpus(ProcessFiles.of(job.pid()).text("status")), "where the launcher runs");
        Files.createFile(place.work().resolve("go"));
        assertEquals(0, job.exitCode(), job::toString);
        assertTrue(job.err().matches("(?s).*tributary: each rank is bound to a core, servers to processors [0-9,-]+\n"
            + ".*"), job::toString);
        place.assertNothingLeft();
    }

    /** Processors of the first core that this process may use; skips the test where there is but one. */
    static BitSet firstOfSeveralCores(BitSet allowed) throws IOException {
        Path siblings = Path.of("/sys/devices/system/cpu/cpu" + allowed.nextSetBit(0)
            + "/topology/thread_siblings_list");
        assumeTrue(Files.exists(siblings), "this machine does not tell its cores");
        BitSet core = cpus("Cpus_allowed_list:" + Files.readString(siblings));
        core.and(allowed);
        assumeTrue(core.cardinality() < allowed.cardinality(), "one core here");
        return core;
    }

    /** As in cpuset(7), behind the words of the kernel. */
    static BitSet cpus(String text) {
        Matcher list = Pattern.compile("Cpus_allowed_list:\\s*([0-9,-]+)").matcher(text);
        assertTrue(list.find(), text);
        BitSet cpus = new BitSet();
        for (String range : list.group(1).split(",")) {
            String[] ends = range.split("-");
            cpus.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
        }
        return cpus;
    }

    private ProcessHandle server(int node) {
        return place.processes().stream().filter(process ->
            ProcessFiles.of(process).text("cmdline").contains("--supervised")
                && ProcessFiles.of(process).findsVariable("TRIBUTARY_NODE", Integer.toString(node)))
            .findFirst().orElseThrow();
    }

    /** By default: how it decides, BindingTest of the launcher shows for other machines. */
    @Test
    void shouldSayWhatItBindsWhenItIsVerbose() throws Exception {
        Running job = place.tributary("run", "--verbose", "--", "true");
        assertEquals(0, job.exitCode(), job::toString);
        Pattern said = Pattern.compile("tributary: (ranks are not bound: (the machine has one NUMA node|.* cores)"
            + "|each rank is bound to a NUMA node[,;] .*)");
        assertTrue(job.err().lines().anyMatch(line -> said.matcher(line).matches()), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldSayThatRanksAreNotBoundWhenThereAreTooFewCores() throws Exception {
        int ranks = cpus(ProcessFiles.own().text("status")).cardinality() + 1;
        Running job = place.tributary("run", "--set", "job.grace=20s", "--bind", "core", "--ranks-per-node",
            Integer.toString(ranks), "--", "true");
        assertEquals(0, job.exitCode(), job::toString);
        assertTrue(job.err().matches("tributary: --bind core: ranks are not bound: " + ranks
            + " ranks have \\d+ cores"), job::toString);
        place.assertNothingLeft();
    }

    /** No number is told where the launcher, or the server, has chosen it, or where it has no effect. */
    @ParameterizedTest
    @CsvSource({"2*1, 64, true", "2*1, 0, false", "1, 64, false"})
    void shouldSayInOneLineWhenMoreEventLoopsAreSetThanThereAreProcessors(String layout, int loops, boolean isTold)
        throws Exception {
        int processors = Runtime.getRuntime().availableProcessors();
        assumeTrue(processors < loops || !isTold);
        Running job = place.tributary("run", "--layout", layout, "--set", "server.threads=" + loops, "hello");
        assertEquals(0, job.exitCode(), job::toString);
        List<String> lines = job.err().lines().toList();
        assertEquals(isTold ? 2 : 0, lines.size(), job::toString);
        lines.forEach(line -> assertTrue(line.contains("server.threads = " + loops
            + ", and this process may run on " + processors + " processor"), job::toString));
        place.assertNothingLeft();
    }

    @Test
    void shouldEndWellAndLeaveNothingWhenServerIsStoppedAtTheEnd() throws Exception {
        Running job = place.tributary("run", "--nodes", "2", "--ranks-per-node", "1", "--set", "job.grace=3s", "--",
            "/bin/sh", "-c", "echo up; while [ ! -e go ]; do sleep 0.05; done");
        job.awaitLine("\\[0] up");
        job.awaitLine("\\[1] up");
        ProcessHandle server = server(1);
        Stopping.stop(server.pid());
        Files.createFile(place.work().resolve("go"));
        assertEquals(0, job.exitCode(), job::toString);
        assertTrue(job.err().contains("node 1 (pid " + server.pid() + ") (was it stopped"), job::toString);
        place.assertNothingLeft();
    }

    /**
     * A machine that is suspended, or does something else, takes nobody's time away. One that is slow may need longer
     * than a time-out that can be waited for: then a longer one shows the same.
     */
    @Test
    void shouldStartWhenEverythingWasStoppedForLongerThanItsTimeOuts() throws Exception {
        int timeoutS = 10;
        while (!startsAfterStop(timeoutS)) {
            timeoutS *= 3;
            assertTrue(timeoutS <= LONGEST_TIMEOUT_S, "this machine is too slow for this test");
        }
    }

    /** Whether three jobs start that are stopped at different moments; not if one runs for its time-out before. */
    private boolean startsAfterStop(int timeoutS) throws Exception {
        long[] afterMs = {300, 700, 1500};
        try (Place first = new Place(); Place second = new Place(); Place third = new Place()) {
            List<Place> places = List.of(first, second, third);
            List<Running> jobs = new ArrayList<>();
            List<String> stopped = new ArrayList<>();
            long[] ranNs = new long[afterMs.length];
            for (int i = 0; i < afterMs.length; i++) { // one after the other: none is in the way of another
                long startNs = System.nanoTime();
                jobs.add(places.get(i).tributary("run", "--nodes", "2", "--ranks-per-node", "1", "--set",
                    "attach.timeout=" + timeoutS + "s", "--set", "job.grace=5s", "hello"));
                Thread.sleep(afterMs[i]);
                stopped.add(stop(places.get(i)));
                ranNs[i] = System.nanoTime() - startNs;
            }
            Thread.sleep(Duration.ofSeconds(timeoutS + 2));
            for (int i = 0; i < afterMs.length; i++) {
                Running job = jobs.get(i);
                String problem = "stopped after " + afterMs[i] + " ms: ";
                long startNs = System.nanoTime();
                Place.signal("CONT", stopped.get(i));
                int code = job.exitCode();
                long allNs = ranNs[i] + System.nanoTime() - startNs;
                if (code != 0 && allNs >= TimeUnit.SECONDS.toNanos(timeoutS)) {
                    return false;
                }
                assertEquals(0, code, () -> problem + job);
                places.get(i).assertNothingLeft();
            }
        }
        return true;
    }

    private static String stop(Place place) throws InterruptedException {
        Set<String> pids = new HashSet<>();
        for (int look = 0; look < 5; look++) { // one that is being started is found by a later look
            place.processes().forEach(process -> pids.add(Long.toString(process.pid())));
            Place.signal("STOP", String.join(" ", pids));
            Thread.sleep(50);
        }
        return String.join(" ", pids);
    }

    @Test
    void shouldLeaveLinesAloneWhenOutputIsPlain() throws Exception {
        Running job = place.tributary("run", "--set", "job.grace=20s", "--output", "plain", "--", "/bin/sh", "-c",
            "echo line; echo error >&2");
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals(List.of("line"), job.out());
        assertEquals("error", job.err());
        place.assertNothingLeft();
    }

    @Test
    void shouldEndWith124WhenTimeIsUp() throws Exception {
        Running job = place.tributary("run", "--timeout", "1s", "--", "/bin/sh", "-c", "exec sleep 100");
        assertEquals(124, job.exitCode(), job::toString);
        assertTrue(job.err().contains("--timeout"), job::toString);
        place.assertNothingLeft();
    }

    /** The others also in one process: TributaryCommandTest of the launcher. */
    static Stream<String> mistyped() {
        return Stream.concat(Stream.of("run --node 2 hello|--nodes", "run -- no-such-executable-here|executable"),
            Thorough.only(Stream.of("run --set wait.spim=1us hello|wait.spin", "run matmull|matmul", "rum|run",
                "run --env X hello|NAME=VALUE", "bench one-sided --ops wrong|--ops",
                "run hello --loud|unknown option '--loud'")));
    }

    @ParameterizedTest
    @MethodSource("mistyped")
    void shouldNameTheNearestAndStartNothingWhenMistyped(String commandAndHint) throws Exception {
        String[] parts = commandAndHint.split("\\|");
        Running command = place.tributary(parts[0].split(" "));
        assertEquals(2, command.exitCode(), command::toString);
        assertTrue(command.err().contains(parts[1]), command::toString);
        assertEquals(List.of(), command.out());
        place.assertNothingLeft();
    }

    @Test
    void shouldShowWhereSettingsCameFromWhenAsked() throws Exception {
        Path file = Files.writeString(place.work().resolve("my.conf"), "wait.spin = 9us\n");
        Running command = place.tributary("config", "--config", file.toString(), "--set", "server.spin=3us");
        assertEquals(0, command.exitCode(), command::toString);
        String all = String.join("\n", command.out());
        assertTrue(all.matches("(?s).*wait\\.spin\\s+= 9us\\s+# [^\n]*my\\.conf.*"), all);
        assertTrue(all.matches("(?s).*server\\.spin\\s+= 3us.*"), all);
        assertTrue(all.matches("(?s).*shm\\.directory\\s+= " + place.shm() + "\\s+# [^\n]*" + Place.VARIABLE + ".*"),
            all);
    }

    @Test
    void shouldRemoveWhatIsStaleWhenCleaning() throws Exception {
        Path stale = Files.createDirectory(place.shm().resolve("tributary-gone-0"));
        Files.createFile(stale.resolve("lock-999999999"));
        Files.createFile(stale.resolve("segment-1"));
        Running command = place.tributary("clean");
        assertEquals(0, command.exitCode(), command::toString);
        assertTrue(command.out().contains("removed " + stale), command::toString);
        place.assertNothingLeft();
    }

    /** Asks every port of the servers for metrics; those for data say that a stranger came. */
    @Test
    @ToleratesErrors(Metrics.STRANGER)
    void shouldBeIdleAndAnswerScrapesWhenRanksWait() throws Exception {
        Running job = place.tributary("run", "--nodes", "2", "--ranks-per-node", "2", "--set",
            "server.metrics-port=0", "--class-path", Path.of("target/test-classes").toAbsolutePath().toString(),
            "org.tributary.it.Program", "all-in-barrier");
        for (int rank = 0; rank < 4; rank++) {
            job.awaitLine("\\[" + rank + "] ready rank.*");
        }
        List<String> metrics = Metrics.of(place);
        assertTrue(metrics.size() == 2 && metrics.stream().allMatch(each -> each.contains("tributary")),
            metrics::toString);
        for (int looks = 0; shareOfCore(job, SHORT_LOOK_MS) >= IDLE_SHARE && looks < SHORT_LOOKS; looks++) {
            // compilers still work on what the start has left to them
        }
        double share = shareOfCore(job, IDLE_MS);
        for (int looks = 1; share >= IDLE_SHARE && looks < IDLE_LOOKS; looks++) {
            share = shareOfCore(job, IDLE_MS);
        }
        assertTrue(share < IDLE_SHARE, "an idle job used " + share + " of a core");
        Place.signal("TERM", job.pid());
        assertEquals(143, job.exitCode());
        place.assertNothingLeft();
    }

    /** Of all processes of the job together. */
    private double shareOfCore(Running job, long milliseconds) throws Exception {
        double before = ticks();
        Thread.sleep(milliseconds);
        assertTrue(job.isAlive(), job::toString);
        return (ticks() - before) / TICKS_PER_SECOND / milliseconds * TimeUnit.SECONDS.toMillis(1);
    }

    private double ticks() {
        return place.processes().stream().mapToDouble(process -> {
            String user = ProcessFiles.of(process).stat(14);
            String system = ProcessFiles.of(process).stat(15);
            return Double.parseDouble(user) + Double.parseDouble(system);
        }).sum();
    }
}
