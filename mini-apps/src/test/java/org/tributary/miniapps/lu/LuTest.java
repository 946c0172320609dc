package org.tributary.miniapps.lu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

@Timeout(300)
class LuTest {
    private static Lu program(String... arguments) {
        Lu program = new Lu();
        new CommandLine(program).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return program;
    }

    /** Even and uneven pencils, ranks without neighbours on both sides, any order of ranks. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "1,1", "3", "2,2", "4", "cyclic:2*3", "map:3*0,1,2*0,2*1,0", "4*4"})
    void shouldMeetThePublishedValues(String layout) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
                assertTrue(program("--class", "s").run(gas, new Report(out, gas.rank() == 0)), printed::toString);
            });
        }
        assertTrue(printed.toString(StandardCharsets.UTF_8).contains(": passed"),
            printed.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({"1e-8, true", "1.1e-8, false", "-1.1e-8, false", "NaN, false"})
    void shouldJudgeEveryValueByTheLimitOfTheBenchmark(double error, boolean right) {
        Answer published = ProblemClass.A.published();
        assertEquals(right, ProblemClass.A.isRight(new Answer(published.residuals(), published.errors(),
            published.integral() * (1 + 0.999 * error))));
        for (int m = 0; m < Flow.NUMBERS; m++) {
            double[] residuals = published.residuals();
            residuals[m] *= 1 + 0.999 * error;
            assertEquals(right, ProblemClass.A.isRight(new Answer(residuals, published.errors(),
                published.integral())));
            double[] errors = published.errors();
            errors[m] *= 1 + 0.999 * error;
            assertEquals(right, ProblemClass.A.isRight(new Answer(published.residuals(), errors,
                published.integral())));
        }
    }

    @Test
    void shouldWriteFigures(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("figures.json");
        JobShape job = JobShape.TWO_NODES_OF_TWO;
        assertTrue(job.run(Lu::new, "--class", "S", "--json", file.toString()).right());
        String json = Files.readString(file);
        for (String part : new String[] {"\"class\": \"S\"", "\"ranks\": 4", "\"nodes\": 2", "\"verified\": true",
            "\"seconds\": ", "\"megaOperationsPerSecond\": ", "\"surfaceIntegral\": 7.8418928"}) {
            assertTrue(json.contains(part), json);
        }
        assertFalse(job.run(Lu::new, "--class", "S", "--json", "/dev/full").right());
        ParameterException nowhere = assertThrows(ParameterException.class,
            () -> job.run(Lu::new, "--class", "S", "--json", folder.resolve("no/file").toString()));
        assertTrue(nowhere.getMessage().startsWith("--json: " + folder.resolve("no/file") + ": "),
            nowhere.getMessage());
    }

    /** On another number of ranks, with the same answer. */
    @Test
    void shouldGoOnFromACheckpoint(@TempDir Path folder) throws Exception {
        String file = folder.resolve("state").toString();
        String[] arguments = {"--class", "S", "--checkpoint", file, "--checkpoint-every", "20"};
        JobShape.Outcome first = JobShape.TWO_NODES_OF_TWO.run(Lu::new, arguments);
        assertTrue(first.right() && !first.printed().contains("goes on"), first::printed);
        JobShape.Outcome second = JobShape.THREE_NODES_OF_ONE.run(Lu::new, arguments);
        assertTrue(second.right() && second.printed().contains("goes on from step 40 of 50: " + file),
            second::printed);
        JobShape.ONE_NODE_OF_FOUR.run(gas -> {
            ParameterException other = assertThrows(ParameterException.class,
                () -> program("--class", "W", "--checkpoint", file).runChecked(gas, new Report(System.out, false)));
            assertEquals("--checkpoint: " + file + ": is a checkpoint of 'lu class S', not of 'lu class W' (rank 0)",
                other.getMessage());
        });
    }

    @Test
    void shouldWriteACheckpointByDefaultInEveryClass(@TempDir Path folder) {
        Path file = folder.resolve("state");
        String[] arguments = {"--class", "S", "--checkpoint", file.toString()};
        assertTrue(JobShape.ONE_NODE_OF_FOUR.run(Lu::new, arguments).right());
        JobShape.Outcome second = JobShape.ONE_NODE_OF_FOUR.run(Lu::new, arguments);
        assertTrue(second.right() && second.printed().contains("goes on from step 25 of 50: " + file),
            second::printed);
    }

    /** The name is too long for the one under which it is written first. */
    @Test
    void shouldFailWhenNoCheckpointCanBeWritten(@TempDir Path folder) {
        assertFalse(JobShape.ONE_NODE_OF_FOUR.run(Lu::new, "--class", "S", "--checkpoint",
            folder.resolve("s".repeat(250)).toString(), "--checkpoint-every", "1").right());
    }

    @Test
    void shouldRefuseOptionsThatDoNotFit() {
        JobShape job = JobShape.ONE_NODE_OF_FOUR;
        assertThrows(ParameterException.class, () -> job.run(Lu::new, "--checkpoint-every", "2"));
        assertThrows(ParameterException.class,
            () -> job.run(Lu::new, "--checkpoint", "/no", "--checkpoint-every", "0"));
        ParameterException nowhere = assertThrows(ParameterException.class,
            () -> job.run(Lu::new, "--class", "S", "--checkpoint", "no/such/file"));
        assertTrue(nowhere.getMessage().startsWith("--checkpoint: no/such/file: "), nowhere.getMessage());
        ParameterException never = assertThrows(ParameterException.class,
            () -> job.run(Lu::new, "--class", "S", "--checkpoint", "c", "--checkpoint-every", "50"));
        assertEquals("--checkpoint-every 50 writes none before the last step, as class S has 50 steps; 1 to 49 would"
            + " fit", never.getMessage());
        assertThrows(ParameterException.class, () -> job.run(Lu::new, "--class", "X"));
        assertThrows(ParameterException.class, () -> job.run(Lu::new, "--class", "S", "--warmup", "-1"));
    }

    @Test
    void shouldSayWhichNumberOfRanksWouldFit() {
        program("--class", "s").checkLayout(Topology.parse("4*4"));
        ConfigException five = assertThrows(ConfigException.class,
            () -> program("--class", "s").checkLayout(Topology.parse("5")));
        assertTrue(five.getMessage().contains("5 ranks are a grid of 5 x 1, and 4 would fit as 2 x 2"),
            five.getMessage());
    }
}
