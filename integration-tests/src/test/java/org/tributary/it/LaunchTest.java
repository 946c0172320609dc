package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ProcessFiles;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.Thorough;
import org.tributary.testsupport.ToleratesErrors;

/** Ranks that mpiexec or mpirun launches, or nobody, with no variable that describes a job. */
class LaunchTest {
    private static final int RANKS = 4;
    /** For answers of a launcher that others keep from its work. */
    private static final int LONGEST_S = 125;

    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    private Running start(List<String> command, Map<String, String> variables) {
        ProcessBuilder builder = place.builder(command);
        builder.environment().put("TRIBUTARY_HOME", Launchers.home(place.work()).toString());
        builder.environment().put("OMPI_MCA_orte_tmpdir_base", place.work().toString());
        builder.environment().putAll(variables);
        return place.start(builder);
    }

    private static List<String> program(String... words) {
        List<String> command = Place.java("org.tributary.it.Program");
        command.addAll(List.of(words));
        return command;
    }

    private static List<String> launch(String launcher, int ranks, List<String> program) {
        List<String> command = Launchers.command(launcher);
        command.addAll(List.of("-n", Integer.toString(ranks)));
        command.addAll(program);
        return command;
    }

    private static Stream<Arguments> launchersAndNodes() {
        return Stream.concat(
            Stream.of(arguments("hydra", "2"), arguments("hydra-port", "2"), arguments("openmpi", "1")),
            Thorough.only(Stream.of(arguments("hydra", "1"), arguments("openmpi", "2"))));
    }

    @ParameterizedTest
    @MethodSource("launchersAndNodes")
    void shouldBeOneJobWhenLaunched(String launcher, String nodes) throws Exception {
        List<String> command = launch(launcher, 2, Launchers.worker(false, 2));
        command.addAll(List.of(":", "-n", "2"));
        command.addAll(Launchers.worker(true, 2));
        Running job = start(command, Map.of("TRIBUTARY_NODES", nodes));
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals(RANKS, job.out().stream().filter(line -> line.endsWith("right")).count(), job::toString);
        place.assertNothingLeft();
    }

    /** On two hosts by ssh, in cyclic order: {@code --map-by node}, {@code -ppn 1}. */
    @ParameterizedTest
    @ValueSource(strings = {"hydra", "openmpi"})
    void shouldBeOneJobWhenRanksGoRoundTheHosts(String launcher) throws Exception {
        try (SshHosts hosts = new SshHosts("256m", "256m")) {
            Path folder = hosts.folder();
            Map<String, String> variables = Map.of("TRIBUTARY_HOME", Launchers.home(folder).toString(),
                Place.VARIABLE, "/dev/shm", "TRIBUTARY_ATTACH_TIMEOUT", "150s");
            List<String> command = Launchers.roundTheHosts(launcher, hosts, variables.keySet());
            command.add(Launchers.mixed(folder.resolve("mixed"), "$PMI_RANK$OMPI_COMM_WORLD_RANK", 2).toString());
            ProcessBuilder builder = place.builder(hosts.on(0, command)).directory(folder.toFile());
            builder.environment().putAll(variables);
            Running job = place.start(builder);
            assertEquals(0, job.exitCode(), job::toString);
            assertEquals(IntStream.range(0, RANKS).mapToObj(rank -> "rank " + rank + " runs on n" + rank % 2).toList(),
                job.out().stream().filter(line -> line.contains("runs on")).sorted().toList(), job::toString);
            assertEquals(RANKS, job.out().stream().filter(line -> line.endsWith("right")).count(), job::toString);
            for (int host = 0; host < 2; host++) {
                List<Path> left = hosts.left(host);
                assertEquals(List.of(), left);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"false,any", "true,any", "false,lo", "true,lo"})
    void shouldBeJobOfOneRankWhenNobodyHasLaunchedIt(boolean inC, String network) throws Exception {
        Running alone = start(Launchers.worker(inC, 2),
            network.equals("any") ? Map.of() : Map.of("TRIBUTARY_SERVER_INTERFACE", network));
        assertEquals(0, alone.exitCode(), alone::toString);
        assertTrue(alone.err().startsWith("tributary: nobody has launched this process: it is a job of one rank"),
            alone::toString);
        place.assertNothingLeft();
    }

    @Test
    @ExpectsErrors("ConfigException: TRIBUTARY_JOB_ID is needed")
    void shouldNameBothWaysWhenVariablesAreIncomplete() throws Exception {
        Running rank = start(program("nothing"), Map.of("TRIBUTARY_LAYOUT", "2"));
        assertEquals(1, rank.exitCode(), rank::toString);
        assertTrue(rank.err().contains("TRIBUTARY_JOB_ID is needed") && rank.err().contains("`tributary run`"),
            rank::toString);
    }

    /** The first has started the server of its node, and goes on before that has ended. */
    @Test
    void shouldStayWhenFirstRankOfNodeHasLeft() throws Exception {
        Path go = place.work().resolve("go");
        Running job = start(launch("hydra", 2, program("leave-first", go.toString())), Map.of());
        long first = Long.parseLong(job.awaitLine("ready rank 0 pid (\\d+)").group(1));
        place.await("rank 0 does not end", () -> !ProcessFiles.of(ProcessHandle.of(first).orElse(
            ProcessHandle.current())).findsVariable(Place.VARIABLE, place.shm().toString()));
        assertTrue(job.isAlive(), job::toString);
        Files.createFile(go);
        assertEquals(0, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    /** One rank of node 1 stays until the others have left. With Open MPI, one in C does so (LeavingTest). */
    @Test
    void shouldStayWhenAllRanksOfNodeHaveLeft() throws Exception {
        Path go = place.work().resolve("go");
        Running job = start(launch("hydra", RANKS, program("leave-node", go.toString())), Map.of("TRIBUTARY_NODES",
            "2"));
        place.await("no rank of node 1 stays", () -> !job.isAlive()
            || job.said().contains("has left, and still waits for the communication server of node 1"));
        assertTrue(job.isAlive(), job::toString);
        Files.createFile(go);
        assertEquals(0, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    @ParameterizedTest
    @CsvSource({"hydra,0", "hydra,3", "openmpi,2"})
    void shouldLeaveNothingWhenRankIsKilled(String launcher, int victim) throws Exception {
        Running job = start(launch(launcher, RANKS, program("all-in-barrier")), Map.of("TRIBUTARY_NODES", "2"));
        for (int rank = 0; rank < RANKS; rank++) {
            job.awaitLine("ready rank " + rank + " .*");
        }
        Place.signal("KILL", job.awaitLine("ready rank " + victim + " pid (\\d+)").group(1));
        assertNotEquals(0, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldLeaveNothingWhenServerIsKilled() throws Exception {
        Running job = start(launch("hydra", RANKS, Launchers.worker(false, 1_000_000)), Map.of("TRIBUTARY_NODES",
            "2"));
        job.awaitLine(".*attached.*");
        Place.signal("KILL", place.processes().stream().filter(process -> ProcessFiles.of(process).commandLine()
            .contains("--supervised") && !ProcessFiles.of(process).commandLine().contains("/bin/sh"))
            .map(process -> Long.toString(process.pid())).findFirst().orElseThrow());
        assertNotEquals(0, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @ToleratesErrors("AttachException")
    void shouldEndWhenOneRankNeverAttaches(boolean inC) throws Exception {
        int seconds = 1;
        while (!isLateForBarrier(inC, seconds)) {
            seconds *= 5;
            assertTrue(seconds <= LONGEST_S, "the launcher is too slow for this test");
        }
    }

    /** Whether it is the barrier that a rank waits for in vain; not where the launcher is late with another answer. */
    private boolean isLateForBarrier(boolean inC, int seconds) throws Exception {
        List<String> command = launch("hydra", 1, List.of("/bin/true"));
        command.addAll(List.of(":", "-n", "1"));
        command.addAll(Launchers.worker(inC, 1));
        Running job = start(command, Map.of("TRIBUTARY_ATTACH_TIMEOUT", seconds + "s"));
        assertNotEquals(0, job.exitCode(), job::toString);
        place.assertNothingLeft();
        boolean isLate = Pattern.compile("has not answered 'cmd=(?!barrier_in)").matcher(job.err()).find();
        assertTrue(isLate || job.err().contains("has not answered 'cmd=barrier_in' within " + 2 * seconds
            + ".0 s (twice attach.timeout); do all 2 ranks attach?"), job::toString);
        return !isLate;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @ToleratesErrors("AttachException")
    void shouldEndAllRanksWhenServerDoesNotStart(boolean inC) throws Exception {
        Running job = start(launch("hydra", 2, Launchers.worker(inC, 1)), Map.of("TRIBUTARY_HOME",
            Launchers.home(place.work().resolve("broken"), "echo no server today >&2; exit 3").toString()));
        assertNotEquals(0, job.exitCode(), job::toString);
        assertTrue(job.said().contains("no server today") && job.said().contains("rank 0: the communication server of"
            + " node 0 ended before it listened"), job::toString);
        place.assertNothingLeft();
    }

    /** Of the second rank: the first hears of it, and does not wait for attach.timeout. */
    @ParameterizedTest
    @CsvSource({"false,false", "true,true", "false,true", "true,false"})
    @ToleratesErrors("AttachException")
    void shouldTellAllRanksWhenSettingOfOneIsWrong(boolean inC, boolean otherInC) throws Exception {
        List<String> command = launch("hydra", 1, Launchers.worker(inC, 1));
        command.addAll(List.of(":", "-n", "1", "/usr/bin/env", "TRIBUTARY_CLIENT_BUFFER=much"));
        command.addAll(Launchers.worker(otherInC, 1));
        Running job = start(command, Map.of());
        assertNotEquals(0, job.exitCode(), job::toString);
        for (int rank = 0; rank < 2; rank++) {
            Pattern problem = Pattern.compile("rank " + rank + " of 2 \\(PMI-1\\) cannot make a job with the others:"
                + " rank 1 on \\S+: client.buffer: 'much' is not a ");
            assertTrue(problem.matcher(job.said()).find(), job::toString);
        }
        place.assertNothingLeft();
    }

    /** Both values may be, but not in one job; the second rank is of the first one's node, or has started a server. */
    @ParameterizedTest
    @CsvSource({"false,1", "true,1", "false,2", "true,2"})
    @ToleratesErrors({"AttachException", "collective.chunk is "})
    void shouldNameTheSettingAndBothValuesWhenThatOfOneRankDiffers(boolean inC, String nodes) throws Exception {
        List<String> command = launch("hydra", 1, Launchers.worker(false, 1));
        command.addAll(List.of(":", "-n", "1", "/usr/bin/env", "TRIBUTARY_COLLECTIVE_CHUNK=32k"));
        command.addAll(Launchers.worker(inC, 1));
        Running job = start(command, Map.of("TRIBUTARY_NODES", nodes));
        assertNotEquals(0, job.exitCode(), job::toString);
        assertTrue(job.said().contains("collective.chunk is 16k at ") && job.said().contains(" and 32k at "),
            job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldRefuseWhenProcessIsOneOfSeveralWithoutPmi() throws Exception {
        Running rank = start(program("nothing"), Map.of("SLURM_STEP_NUM_TASKS", "8", "SLURM_PROCID", "3"));
        assertEquals(1, rank.exitCode(), rank::toString);
        assertTrue(rank.err().contains("this process is one of 8 (SLURM_STEP_NUM_TASKS), and its launcher offers no PMI"
            + " to find the others by: with srun, add --mpi=pmi2; or use `tributary run`"), rank::toString);
    }
}
