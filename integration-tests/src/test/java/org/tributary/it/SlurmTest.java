package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ProcessFiles;
import org.tributary.launcher.status.AttachSocket;
import org.tributary.testsupport.Thorough;

/** Ranks that srun of a real Slurm launches on three hosts. */
class SlurmTest {
    private static final int RANKS = 6;

    @RegisterExtension
    static final SharedSlurm SLURM = new SharedSlurm();

    private final Place place = new Place();
    private Slurm slurm;

    @BeforeEach
    void open() throws Exception {
        slurm = SLURM.get();
        slurm.makeFolder(place.shm());
    }

    @AfterEach
    void close() throws Exception {
        place.close();
        if (slurm != null) {
            slurm.removeFolder(place.shm());
        }
    }

    /** Of all jobs that Slurm has not done with. */
    private List<String> jobs() throws Exception {
        ProcessBuilder builder = place.builder(List.of("squeue", "--noheader", "--format=%A"));
        builder.environment().put("SLURM_CONF", slurm.configuration());
        Running squeue = place.start(builder);
        assertEquals(0, squeue.exitCode(), squeue::toString);
        return squeue.out();
    }

    private Running srun(Map<String, String> variables, String mpi, List<String> program) {
        return srun(variables, mpi, "block", program);
    }

    private Running srun(Map<String, String> variables, String mpi, String distribution, List<String> program) {
        List<String> command = new ArrayList<>(List.of("srun", "--mpi=" + mpi, "-m", distribution, "-N3",
            "--ntasks-per-node=2", "-n", Integer.toString(RANKS)));
        command.addAll(program);
        ProcessBuilder builder = place.builder(command);
        builder.environment().put("SLURM_CONF", slurm.configuration());
        builder.environment().put("TRIBUTARY_HOME", Launchers.home(place.work()).toString());
        builder.environment().putAll(variables);
        return place.start(builder);
    }

    /** Some ranks in C, where there is a C client. */
    private List<String> mixed(int rounds) {
        return List.of(Launchers.mixed(place.work().resolve("mixed"), "$SLURM_PROCID", rounds).toString());
    }

    private void assertNothingLeft() {
        place.assertNothingLeft();
        place.await("shared memory is left on a host", () -> slurm.isEmpty(place.shm()));
        place.await("a job is left", () -> {
            try {
                return jobs().isEmpty();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private Running run(String... arguments) {
        return run(Map.of(), arguments);
    }

    private Running run(Map<String, String> variables, String... arguments) {
        return allocated(variables, Stream.concat(Stream.of("run"), Stream.of(arguments)).toList());
    }

    /** The command {@code tributary} inside an allocation of three hosts with two tasks each. */
    private Running allocated(Map<String, String> variables, List<String> words) {
        List<String> command = new ArrayList<>(List.of("salloc", "-N3", "--ntasks-per-node=2", "-n",
            Integer.toString(RANKS)));
        command.addAll(Place.launcher());
        command.addAll(words);
        ProcessBuilder builder = place.builder(command);
        builder.environment().put("SLURM_CONF", slurm.configuration());
        builder.environment().putAll(variables);
        return place.start(builder);
    }

    @Test
    void shouldTakeHostsAndRanksFromTheAllocationWhenLauncherRunsInOne() throws Exception {
        Running job = run("matmul", "--size", "64", "--iterations", "1");
        assertEquals(0, job.exitCode(), job::toString);
        assertTrue(job.out().stream().anyMatch(line -> line.startsWith("[0 n0]")
            && line.contains("6 ranks on 3 nodes")), job::toString);
        assertTrue(job.out().stream().anyMatch(line -> line.contains("passed")), job::toString);
        assertNothingLeft();
    }

    @Test
    void shouldTakeAPartOfTheAllocationWhenAskedTo() throws Exception {
        Running job = run("--nodes", "2", "--ranks-per-node", "1", "--", "hostname");
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals(List.of("[0 n0] n0", "[1 n1] n1"), job.out().stream().sorted().toList(), job::toString);
        assertNothingLeft();
    }

    /** The allocation has two cores of each host. */
    @Test
    void shouldHaveAllCoresOfAHostWhenTheAllocationLimitsTasks() throws Exception {
        Running job = run(Map.of("SRUN_CPUS_PER_TASK", "1", "SLURM_EXACT", "1"), "--nodes", "1", "--ranks-per-node",
            "1", "--", "scontrol", "--oneliner", "show", "steps");
        assertEquals(0, job.exitCode(), job::toString);
        assertTrue(job.out().stream().anyMatch(line -> line.matches(".* CPUs=2 Tasks=1 .*")), job::toString);
        assertNothingLeft();
    }

    /** These hosts have no sshd. */
    @Test
    void shouldReachHostsBySrunWhenTheAllocationHasThoseThatAreNamed() throws Exception {
        Running job = run("--hosts", "n2:1,n1:2", "--", "hostname");
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals(List.of("[0 n2] n2", "[1 n1] n1", "[2 n1] n1"), job.out().stream().sorted().toList(),
            job::toString);
        assertNothingLeft();
        Running doctor = allocated(Map.of(), List.of("doctor", "--hosts", "n0,n2"));
        doctor.awaitLine("ok +way to other hosts +all hosts: 1 reached.*");
        int unused = doctor.exitCode(); // it may find errors of this machine
        Running other = run("--hosts", "n1,n9", "--", "hostname");
        assertEquals(2, other.exitCode(), other::toString);
        assertTrue(other.err().contains("(ssh exited with code 255)"), other::toString);
        assertTrue(other.out().isEmpty(), other::toString);
        assertNothingLeft();
    }

    @Test
    void shouldStartNothingWhenLayoutIsLargerThanTheAllocation() throws Exception {
        Running job = run("--layout", "2,3,2", "--", "hostname");
        assertEquals(2, job.exitCode(), job::toString);
        assertTrue(job.err().contains("nothing was started: the layout has a problem\n  the layout: host n1 may have 2"
            + " ranks, and 2,3,2 wants 3; "), job::toString);
        assertTrue(job.out().isEmpty(), job::toString);
        assertNothingLeft();
    }

    private static Stream<Arguments> placements() {
        return Stream.concat(
            Stream.of(arguments("pmi2", "block"), arguments("pmix", "block"), arguments("pmi2", "cyclic")),
            Thorough.only(Stream.of(arguments("pmix", "cyclic"), arguments("pmi2", "plane=1"))));
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldBeOneJobWhenLaunchedOnThreeHosts(String mpi, String distribution) throws Exception {
        Running job = srun(Map.of(), mpi, distribution, mixed(2));
        assertEquals(0, job.exitCode(), job::toString);
        for (int rank = 0; rank < RANKS; rank++) {
            int host = distribution.equals("block") ? rank / 2 : rank % 3;
            assertTrue(job.out().contains("rank " + rank + " runs on n" + host), job::toString);
        }
        assertEquals(RANKS, job.out().stream().filter(line -> line.endsWith("right")).count(), job::toString);
        assertNothingLeft();
    }

    /** Six ranks that srun has started; their allocation is there until {@link #end}. */
    private Running hanging(String how) {
        List<String> command = new ArrayList<>(List.of("salloc", "-N3", "--ntasks-per-node=2", "-n",
            Integer.toString(RANKS), "sh", "-c", "\"$@\"; until [ -e end ]; do sleep 0.1; done", "sh", "srun",
            "--mpi=pmi2", "-m", "block"));
        command.addAll(Place.java("org.tributary.it.HangingProgram"));
        command.add(how);
        ProcessBuilder builder = place.builder(command);
        builder.environment().put("SLURM_CONF", slurm.configuration());
        builder.environment().put("TRIBUTARY_HOME", Launchers.home(place.work()).toString());
        Running job = place.start(builder);
        for (int rank = 0; rank < RANKS; rank++) {
            job.awaitLine("ready rank " + rank + " .*");
        }
        return job;
    }

    private static void kill(Running job) {
        Place.signal("KILL", killed(job));
    }

    private static String killed(Running job) {
        return job.awaitLine("ready rank 1 pid (\\d+)").group(1);
    }

    private void end(Running job) throws Exception {
        Files.createFile(place.work().resolve("end"));
        assertEquals(0, job.exitCode(), job::toString);
        AttachSocket.removeOf(Long.parseLong(killed(job))); // of a rank of srun, which nobody else has killed
        assertNothingLeft();
    }

    /** The command {@code tributary} inside the allocation of the one job that there is. */
    private Running beside(String... words) throws Exception {
        ProcessBuilder command = place.builder(Stream.concat(Place.launcher().stream(), Stream.of(words)).toList());
        command.environment().putAll(Map.of("SLURM_CONF", slurm.configuration(), "SLURM_JOB_ID",
            jobs().getFirst(), "SLURM_JOB_NODELIST", "n[0-2]"));
        return place.start(command);
    }

    /** Asks again while a host is late, as it is on a busy machine. */
    private String status(String... words) throws Exception {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(Running.DEADLINE_S);
        Running status = null;
        do {
            assertTrue(System.nanoTime() - untilNs < 0, "a host is late in each answer: " + status);
            status = beside(Stream.concat(Stream.of("status"), Stream.of(words)).toArray(String[]::new));
            status.exitCode();
        } while (status.said().contains(": no answer within 4.0 s"));
        assertEquals(0, status.exitCode(), status::toString);
        assertEquals("", status.err());
        return String.join("\n", status.out());
    }

    /** Asks again until the ranks have come to where the answer is that, and no stack is late. */
    private String awaitStatus(List<String> awaited, String... words) {
        String[] last = {""};
        place.await(awaited + " are not in the status", () -> {
            try {
                last[0] = status(words);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return awaited.stream().allMatch(last[0]::contains);
        });
        return last[0];
    }

    private List<ProcessHandle> agents() {
        return place.processes().stream().filter(process ->
            ProcessFiles.of(process).commandLine().getLast().equals("agent")).toList();
    }

    /** Of ranks that srun has started there is no launcher to ask. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"deadlock|deadlock: ranks 0, 5 wait for each other",
        "groups|deadlock: ranks 0, 1 wait for each other", "late|ranks 0, 2-5 wait for rank 1 in barrier, call "})
    void shouldSayWhoWaitsForWhomOnAllHostsWhenRanksHang(String how, String reason) throws Exception {
        Running job = hanging(how);
        awaitStatus(List.of(reason), "--why");
        Matcher id = Pattern.compile("(?m)^(\\S+) .* 0-2 of 3 +6 of 6 attached ").matcher(status());
        assertTrue(id.find());
        String why = awaitStatus(List.of("at org.tributary.it.HangingProgram."), "--why", id.group(1));
        assertTrue(why.contains("nodes seen: 0-2 of 3") && why.contains(reason), why);
        if (how.equals("deadlock")) { // the others would say the same
            assertTellsOfAPartAndOfUnknownJobs(id.group(1));
        }
        assertEquals(List.of(), agents());
        kill(job);
        end(job);
    }

    private void assertTellsOfAPartAndOfUnknownJobs(String id) throws Exception {
        String part = status("--hosts", "n2", id);
        assertTrue(part.contains("nodes seen: 2 of 3"), part);
        Running unknown = beside("status", id + "x");
        assertEquals(2, unknown.exitCode(), unknown::toString);
        assertTrue(unknown.err().contains("no job '" + id + "x' on n0, n1, n2, in ")
            && unknown.err().contains("'" + id + "'"), unknown::toString);
    }

    @Test
    void shouldShowAllHostsOnThePageWhenSrunHasStartedTheRanks() throws Exception {
        Running job = hanging("deadlock");
        Running killed = beside("dashboard");
        killed.awaitLine("job \\S+: http://.*");
        assertFalse(agents().isEmpty());
        Place.signal("KILL", killed.pid());
        place.await("agents are left", () -> agents().isEmpty());
        Running dashboard = beside("dashboard");
        String url = dashboard.awaitLine("job \\S+: (http://.*)").group(1);
        URLConnection events = URI.create(url + "events").toURL().openConnection();
        events.setReadTimeout(60_000);
        try (BufferedReader reader = new BufferedReader(
            new InputStreamReader(events.getInputStream(), StandardCharsets.UTF_8))) {
            assertTrue(reader.lines().limit(300).anyMatch(line -> line.matches(".*\"nodes_seen\": 3[,}].*")
                && line.contains("\"problems\": {\"count\": 0")), dashboard::toString);
        }
        kill(job);
        dashboard.awaitLine("job \\S+ has ended");
        assertEquals(0, dashboard.exitCode(), dashboard::toString);
        end(job);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4})
    void shouldEndAllRanksWhenOneIsKilled(int victim) throws Exception {
        List<String> program = Place.java("org.tributary.it.Program");
        program.add("all-in-barrier");
        Running job = srun(Map.of(), "pmi2", program);
        for (int rank = 0; rank < RANKS; rank++) {
            job.awaitLine("ready rank " + rank + " .*");
        }
        Place.signal("KILL", job.awaitLine("ready rank " + victim + " pid (\\d+)").group(1));
        assertNotEquals(0, job.exitCode(), job::toString);
        assertNothingLeft();
    }

    /** Slurm kills what the ranks of a node have started when the last of these has ended. */
    @Test
    void shouldReadMemoryOfANodeWhenAllOfItsRanksHaveLeft() throws Exception {
        Path go = place.work().resolve("go");
        List<String> program = Place.java("org.tributary.it.Program");
        program.addAll(List.of("leave-node", go.toString()));
        Running job = srun(Map.of("KILLS_REST", "1"), "pmi2", program);
        place.await("no rank of node 1 stays", () -> !job.isAlive()
            || job.said().contains("has left, and still waits for the communication server of node 1"));
        assertTrue(job.isAlive(), job::toString);
        Files.createFile(go);
        assertEquals(0, job.exitCode(), job::toString);
        assertNothingLeft();
    }

    /** The script of docs/starting.md, under sbatch. */
    @ParameterizedTest
    @CsvSource({"Ring,true", "Missing,false"})
    void shouldRunServersAndRanksWhenTheDocumentedScriptIsSubmitted(String main, boolean isWell) throws Exception {
        Matcher script = Pattern.compile("With Slurm, [^`]*`sbatch`.*?```sh\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/starting.md")));
        assertTrue(script.find());
        Path code = place.work().resolve("code");
        Path job = Files.writeString(place.work().resolve("job.sh"), script.group(1).replace("Ring", main)
            .replace("umask 077\n", "trap 'echo $? >code.new; mv code.new code' EXIT\numask 077\n"));
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-cp",
            System.getProperty("java.class.path"), "-d", place.work().resolve("classes").toString(),
            "../release/src/main/examples/java/src/main/java/Ring.java"));
        ProcessBuilder builder = place.builder(List.of("sbatch", "--output=out", job.toString()));
        builder.environment().putAll(Map.of("SLURM_CONF", slurm.configuration(), "TRIBUTARY",
            Launchers.home(place.work()).toString(), "JAVA_HOME", System.getProperty("java.home")));
        if (!isWell) {
            builder.environment().put("TRIBUTARY_ATTACH_TIMEOUT", "10s"); // for which the servers wait for ranks
        }
        Running sbatch = place.start(builder);
        assertEquals(0, sbatch.exitCode(), sbatch::said);
        place.await("the job has not ended", () -> Files.exists(code)); // 'sbatch --wait' looks after 2, 10 and 42 s
        String said = sbatch.said() + Files.readString(place.work().resolve("out"));
        assertEquals(isWell, Files.readString(code).equals("0\n"), said);
        assertEquals(2, said.lines().filter(line -> line.startsWith("tributary server ready: node ")).count(), said);
        for (int rank = 0; isWell && rank < 8; rank++) {
            assertTrue(said.contains("rank " + rank + " on node " + rank % 2 + " heard from"), said);
        }
        assertNothingLeft();
    }

    @Test
    void shouldSayWhatToAddWhenSrunOffersNoPmi() throws Exception {
        Running job = srun(Map.of(), "none", Launchers.worker(false, 1));
        assertNotEquals(0, job.exitCode(), job::toString);
        assertTrue(job.err().contains("this process is one of 6 (SLURM_STEP_NUM_TASKS)")
            && job.err().contains("add --mpi=pmi2"), job::toString);
        assertNothingLeft();
    }

    @Test
    void shouldNotSendSecretWhenHostsEncrypt() throws Exception {
        Map<String, String> encrypted = Map.of("TRIBUTARY_NETWORK_ENCRYPTION", "aes-gcm");
        Running refused = srun(encrypted, "pmi2", mixed(1));
        assertNotEquals(0, refused.exitCode(), refused::toString);
        assertTrue(refused.said().contains("pass TRIBUTARY_SECRET_FILE=FILE to all ranks"), refused::toString);
        Path secret = Files.writeString(Files.createFile(place.work().resolve("secret"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))), "0123456789abcdef"
            .repeat(4));
        Running job = srun(Map.of("TRIBUTARY_NETWORK_ENCRYPTION", "aes-gcm", "TRIBUTARY_SECRET_FILE",
            secret.toString()), "pmi2", mixed(1));
        assertEquals(0, job.exitCode(), job::toString);
        assertNothingLeft();
    }
}
