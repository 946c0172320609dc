package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks that srun of a real Slurm launches on three hosts. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class SlurmTest {
    private static final int RANKS = 6;

    private final Place place = new Place();
    private Slurm slurm;

    @BeforeEach
    void open() throws Exception {
        slurm = Slurm.start(place.shm());
    }

    @AfterEach
    void close() throws Exception {
        place.close();
        if (slurm != null) {
            slurm.close();
        }
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
        place.await("shared memory is left on a host", slurm::isEmpty);
    }

    private Running run(String... arguments) {
        return allocated(Stream.concat(Stream.of("run"), Stream.of(arguments)).toList());
    }

    /** The command {@code tributary} inside an allocation of three hosts with two tasks each. */
    private Running allocated(List<String> words) {
        List<String> command = new ArrayList<>(List.of("salloc", "-N3", "--ntasks-per-node=2", "-n",
            Integer.toString(RANKS)));
        command.addAll(Place.launcher());
        command.addAll(words);
        ProcessBuilder builder = place.builder(command);
        builder.environment().put("SLURM_CONF", slurm.configuration());
        return place.start(builder);
    }

    @Test
    void shouldTakeHostsAndRanksFromTheAllocationWhenLauncherRunsInOne() throws Exception {
        Running job = run("matmul", "--size", "64", "--iterations", "1");
        assertEquals(0, job.exitCode(150), job::toString);
        assertTrue(job.out().stream().anyMatch(line -> line.startsWith("[0 n0]")
            && line.contains("6 ranks on 3 nodes")), job::toString);
        assertTrue(job.out().stream().anyMatch(line -> line.contains("passed")), job::toString);
        assertNothingLeft();
    }

    @Test
    void shouldTakeAPartOfTheAllocationWhenAskedTo() throws Exception {
        Running job = run("--nodes", "2", "--ranks-per-node", "1", "--", "hostname");
        assertEquals(0, job.exitCode(150), job::toString);
        assertEquals(List.of("[0 n0] n0", "[1 n1] n1"), job.out().stream().sorted().toList(), job::toString);
        assertNothingLeft();
    }

    /** These hosts have no sshd. */
    @Test
    void shouldReachHostsBySrunWhenTheAllocationHasThoseThatAreNamed() throws Exception {
        Running job = run("--hosts", "n2:1,n1:2", "--", "hostname");
        assertEquals(0, job.exitCode(150), job::toString);
        assertEquals(List.of("[0 n2] n2", "[1 n1] n1", "[2 n1] n1"), job.out().stream().sorted().toList(),
            job::toString);
        assertNothingLeft();
        Running other = run("--hosts", "n1,n9", "--", "hostname");
        assertEquals(2, other.exitCode(150), other::toString);
        assertTrue(other.err().contains("(ssh exited with code 255)"), other::toString);
        assertTrue(other.out().isEmpty(), other::toString);
    }

    @Test
    void shouldStartNothingWhenLayoutIsLargerThanTheAllocation() throws Exception {
        Running job = run("--layout", "2,3,2", "--", "hostname");
        assertEquals(2, job.exitCode(150), job::toString);
        assertTrue(job.err().contains("host n1 may have 2 ranks, and the layout 2,3,2 wants 3"), job::toString);
        assertTrue(job.out().isEmpty(), job::toString);
    }

    @ParameterizedTest
    @CsvSource({"pmi2,block", "pmix,block", "pmi2,cyclic", "pmix,cyclic", "pmi2,plane=1"})
    void shouldBeOneJobWhenLaunchedOnThreeHosts(String mpi, String distribution) throws Exception {
        Running job = srun(Map.of(), mpi, distribution, mixed(2));
        assertEquals(0, job.exitCode(120), job::toString);
        for (int rank = 0; rank < RANKS; rank++) {
            int host = distribution.equals("block") ? rank / 2 : rank % 3;
            assertTrue(job.out().contains("rank " + rank + " runs on n" + host), job::toString);
        }
        assertEquals(RANKS, job.out().stream().filter(line -> line.endsWith("right")).count(), job::toString);
        assertNothingLeft();
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

    /** The script of docs/starting.md, under sbatch. */
    @ParameterizedTest
    @CsvSource({"Ring,true", "Missing,false"})
    void shouldRunServersAndRanksWhenTheDocumentedScriptIsSubmitted(String main, boolean isWell) throws Exception {
        Matcher script = Pattern.compile("With Slurm, [^`]*`sbatch`.*?```sh\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/starting.md")));
        assertTrue(script.find());
        Path job = Files.writeString(place.work().resolve("job.sh"), script.group(1).replace("Ring", main));
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-cp",
            System.getProperty("java.class.path"), "-d", place.work().resolve("classes").toString(),
            "../release/src/main/examples/java/src/main/java/Ring.java"));
        ProcessBuilder builder = place.builder(List.of("sbatch", "--wait", "--output=out", job.toString()));
        builder.environment().putAll(Map.of("SLURM_CONF", slurm.configuration(), "TRIBUTARY",
            Launchers.home(place.work()).toString(), "JAVA_HOME", System.getProperty("java.home")));
        Running sbatch = place.start(builder);
        int ended = sbatch.exitCode(200);
        String said = sbatch.said() + Files.readString(place.work().resolve("out"));
        assertEquals(isWell, ended == 0, said);
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
        assertEquals(0, job.exitCode(120), job::toString);
        assertNothingLeft();
    }
}
