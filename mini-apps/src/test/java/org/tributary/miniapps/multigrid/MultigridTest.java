package org.tributary.miniapps.multigrid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.testing.TestJob;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.exchange.Design;
import org.tributary.miniapps.exchange.Synchronization;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

@Timeout(300)
class MultigridTest {
    private static Multigrid program(String... arguments) {
        Multigrid program = new Multigrid();
        new CommandLine(program).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return program;
    }

    @ParameterizedTest
    @ValueSource(strings = {"2,2", "4"})
    void shouldMeetThePublishedNormInEveryDesign(String layout) {
        meetThePublishedNorm(layout, Synchronization::designs);
    }

    /** From one rank to so many that the coarsest grid is not distributed. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "1,1", "cyclic:2*4", "map:3*0,1,2*0,2*1", "4*4"})
    void shouldMeetThePublishedNormOnAnyLayout(String layout) {
        meetThePublishedNorm(layout, synchronization -> Set.of(Design.AUTO));
    }

    /** One job does all designs in turn. */
    private static void meetThePublishedNorm(String layout, Function<Synchronization, Set<Design>> designs) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
                for (Synchronization synchronization : Synchronization.values()) {
                    for (Design design : designs.apply(synchronization)) {
                        Multigrid program = program("--class", "s", "--warmup", "0", "--whole", "0", "--sync",
                            synchronization.toString(), "--design", design.toString());
                        assertTrue(program.run(gas, new Report(out, gas.rank() == 0)), printed::toString);
                    }
                }
            });
        }
        assertTrue(printed.toString(StandardCharsets.UTF_8).contains("published 5.3077070057340e-05"),
            printed.toString(StandardCharsets.UTF_8));
    }

    /** Of the five grids, of 2 to 32 points, one, three, and four. */
    @ParameterizedTest
    @ValueSource(strings = {"2", "8", "31"})
    void shouldMeetThePublishedNormWhenSmallGridsAreGathered(String points) {
        JobShape.Outcome outcome = JobShape.TWO_NODES_OF_TWO.run(Multigrid::new, "--class", "S", "--warmup", "0",
            "--whole", points);
        assertTrue(outcome.right(), outcome.printed());
    }

    @Test
    void shouldMeetThePublishedNormWhenTheClassIsLarger() {
        JobShape.Outcome outcome = JobShape.TWO_NODES_OF_TWO.run(Multigrid::new, "--class", "W", "--warmup", "0");
        assertTrue(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains(" Mop/s"), outcome.printed());
    }

    @ParameterizedTest
    @CsvSource({"S, 1e-8, true", "S, 1.1e-8, false", "B, -1e-9, true", "B, -2e-8, false", "A, NaN, false"})
    void shouldJudgeANormByTheLimitOfTheBenchmark(ProblemClass problem, double error, boolean right) {
        assertEquals(right, problem.isRight(problem.norm() * (1 + 0.999 * error)));
    }

    @Test
    void shouldCountOperationsAsTheBenchmarkDoes() {
        assertEquals(58e-6 * 20 * 256 * 256 * 256 / 2, ProblemClass.B.megaOperations(2), 1e-9);
    }

    @Test
    void shouldWriteFigures(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("figures.json");
        assertTrue(JobShape.TWO_NODES_OF_TWO.run(Multigrid::new, "--class", "S", "--json", file.toString()).right());
        String json = Files.readString(file);
        for (String part : new String[] {"\"class\": \"S\"", "\"wholePoints\": 8", "\"ranks\": 4",
            "\"nodes\": 2", "\"verified\": true", "\"synchronization\": \"mailbox\"",
            "\"seconds\": ", "\"megaOperationsPerSecond\": "}) {
            assertTrue(json.contains(part), json);
        }
    }

    @Test
    void shouldFailWhenFiguresCannotBeWritten(@TempDir Path folder) {
        JobShape job = JobShape.ONE_NODE_OF_FOUR;
        JobShape.Outcome outcome = job.run(Multigrid::new, "--class", "S", "--json", "/dev/full");
        assertFalse(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains("passed"), outcome.printed());
        assertThrows(ParameterException.class, () -> job.run(Multigrid::new, "--class", "S", "--json",
            folder.resolve("missing/figures.json").toString()));
    }

    @Test
    void shouldRefuseOptionsThatDoNotFit() {
        JobShape job = JobShape.ONE_NODE_OF_FOUR;
        assertThrows(ParameterException.class, () -> job.run(Multigrid::new, "--class", "X"));
        assertThrows(ParameterException.class, () -> job.run(Multigrid::new, "--class", "S", "--warmup", "-1"));
        assertThrows(ParameterException.class, () -> job.run(Multigrid::new, "--class", "S", "--whole", "-1"));
        assertThrows(ParameterException.class, () -> job.run(Multigrid::new, "--class", "S", "--whole", "32"));
        assertThrows(ParameterException.class, () -> job.run(Multigrid::new, "--class", "S", "--sync", "mailbox",
            "--design", "deferred"));
        assertThrows(ParameterException.class, () -> JobShape.THREE_NODES_OF_ONE.run(Multigrid::new));
    }

    @Test
    void shouldSayWhichNumbersOfRanksWouldFit() {
        ConfigException six = assertThrows(ConfigException.class, () -> program().checkLayout(Topology.parse("2*3")));
        assertTrue(six.getMessage().contains("not on 6; 4 or 8 would fit"), six.getMessage());
        program("--class", "s").checkLayout(Topology.parse("1024*32"));
        ConfigException many = assertThrows(ConfigException.class,
            () -> program("--class", "s").checkLayout(Topology.parse("1024*64")));
        assertTrue(many.getMessage().contains("32768 ranks at most"), many.getMessage());
    }
}
