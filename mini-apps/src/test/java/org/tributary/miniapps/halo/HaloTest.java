package org.tributary.miniapps.halo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.testing.TestJob;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.SlowProgress;
import org.tributary.miniapps.exchange.Design;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.miniapps.exchange.Synchronization;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class HaloTest {
    @ParameterizedTest
    @EnumSource
    void shouldAgreeWithTheSerialModelInEveryDesign(JobShape job) {
        job.runEach(Halo::new, Combinations.with("--neighbours", "8", "--steps", "20", "--warmup", "3", "--cells", "6",
            "--fields", "2", "--verify"), outcome -> {
                assertTrue(outcome.right(), outcome.printed());
                assertTrue(outcome.printed().contains("verification: 0 ghost cells wrong, 0 of "), outcome.printed());
                assertTrue(outcome.printed().contains(" us a step"), outcome.printed());
                assertTrue(outcome.printed().contains(" messages/s"), outcome.printed());
            });
    }

    /** Blocks of one, two and more cells, among them such without interior. */
    @ParameterizedTest
    @EnumSource
    void shouldAgreeWithTheSerialModelInEveryNeighbourhood(JobShape job) {
        List<List<String>> all = new ArrayList<>();
        for (String neighbourhood : List.of("2 --neighbours 4", "2 --neighbours 8", "3 --neighbours 6",
            "3 --neighbours 26")) {
            for (String cells : List.of("1", "2", "5")) {
                all.add(List.of(("--sync mailbox --dimensions " + neighbourhood + " --cells " + cells
                    + " --steps 6 --verify").split(" ")));
            }
        }
        job.runEach(Halo::new, all, outcome -> assertTrue(outcome.right(), outcome.printed()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "5", "3,2,2"})
    void shouldAgreeWithTheSerialModelWhenTheGridIsUneven(String layout) {
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                for (Synchronization synchronization : Synchronization.values()) {
                    Halo program = program("--sync", synchronization.toString(), "--dimensions", "3", "--neighbours",
                        "26", "--cells", "3", "--steps", "5", "--verify");
                    assertTrue(program.run(gas, silent()), synchronization::toString);
                }
            });
        }
    }

    @Test
    void shouldAgreeWithTheSerialModelWhenItComputesMore() {
        JobShape.Outcome outcome = JobShape.TWO_NODES_OF_TWO.run(Halo::new, "--compute", "50", "--steps", "10",
            "--sync", "mailbox");
        assertTrue(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains("compute 50.0 us"), outcome.printed());
        assertTrue(outcome.printed().contains("verification: 0 of 4096 numbers differ"), outcome.printed());
    }

    private static Halo program(String... arguments) {
        Halo program = new Halo();
        new CommandLine(program).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return program;
    }

    private static Report silent() {
        return new Report(System.out, false);
    }

    /** One wrong bit in any ghost cell, in any step, is still there at the end. */
    @ParameterizedTest
    @CsvSource({"end, 0, 0, 0", "end, 3, 7, 0", "end, 5, 1, 24", "steps, 2, 4, 31", "end, 99, 0, 0"})
    void shouldFindADamagedMessage(String verification, int step, int direction, long damagedByte) {
        try (TestJob job = TestJob.start(Topology.parse("2"))) {
            job.run(gas -> {
                Halo program = program("--steps", "5", "--warmup", "1", "--verify", verification);
                Neighbourhood neighbourhood = Neighbourhood.all(ProcessGrid.of(2, 2), gas.rank());
                Stencil stencil = new Stencil(neighbourhood);
                HaloBlock block = new HaloBlock(neighbourhood, stencil, 4, 1);
                long[] bytes = LongStream.range(0, 8).map(j -> block.messageBytes((int) j)).toArray();
                assertEquals(4 * (1 + 4) * Long.BYTES, LongStream.of(bytes).sum());
                try (Exchange exchange = new DamagedExchange(
                    Synchronization.MAILBOX.open(gas, neighbourhood, Design.AUTO, bytes),
                    gas.rank() == 1 ? step : -1, direction, damagedByte)) {
                    boolean right = program.run(gas, silent(), neighbourhood, block,
                        new WholeGrid(neighbourhood.grid(), 4, stencil), exchange);
                    assertEquals(step == 99, right);
                }
            });
        }
    }

    /** A model that no array can hold stands for one for which there is no memory. */
    @Test
    void shouldTakeTheMemoryOfTheModelBeforeTheFirstStep() {
        try (TestJob job = TestJob.start(Topology.parse("1"))) {
            job.run(gas -> {
                Neighbourhood neighbourhood = Neighbourhood.all(ProcessGrid.of(1, 2), 0);
                Stencil stencil = new Stencil(neighbourhood);
                HaloBlock block = new HaloBlock(neighbourhood, stencil, 4, 1);
                long[] bytes = LongStream.range(0, 8).map(j -> block.messageBytes((int) j)).toArray();
                try (DamagedExchange exchange = new DamagedExchange(
                    Synchronization.MAILBOX.open(gas, neighbourhood, Design.AUTO, bytes), -1, 0, 0)) {
                    assertThrows(ArithmeticException.class, () -> program("--steps", "5").run(gas, silent(),
                        neighbourhood, block, new WholeGrid(neighbourhood.grid(), 1 << 16, stencil), exchange));
                    assertEquals(0, exchange.steps());
                    assertTrue(program("--steps", "5", "--warmup", "0", "--verify", "off").run(gas, silent(),
                        neighbourhood, block, new WholeGrid(neighbourhood.grid(), 1 << 16, stencil), exchange));
                    assertEquals(5, exchange.steps());
                }
            });
        }
    }

    /** The serial model takes longer than the steps; with all steps verified, it is part of them. */
    @ParameterizedTest
    @CsvSource({"end, 20 40 60 80", "steps, ''"})
    void shouldSayHowFarTheVerificationIs(String verification, String percentages) {
        SlowProgress progress = new SlowProgress();
        JobShape.TWO_NODES_OF_TWO.run(gas -> assertTrue(program("--steps", "4", "--warmup", "1", "--verify",
            verification).run(gas, progress.report(gas.rank() == 0))));
        assertEquals(percentages, String.join(" ", progress.percentages("halo, verification")));
        assertEquals(List.of("20", "40", "60", "80"), progress.percentages("halo").stream().distinct().toList());
    }

    /** Of 16 GB, twice. */
    @Test
    void shouldRefuseOnAllRanksWhenTheHeapHasNoRoomForTheBlock() {
        ParameterException refused = assertThrows(ParameterException.class, () -> JobShape.TWO_NODES_OF_TWO.run(
            Halo::new, "--cells", "44719", "--verify", "off"));
        String problem = "two copies of a block of --cells 44719 and --fields 1 have no room in the ";
        assertTrue(refused.getMessage().startsWith(problem), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--fields 2147483647             | more than 2000000000; --fields 1730103 would fit",
        "--cells 60000 --fields 2        | more than 2000000000; --cells 44719 with --fields 1 would fit",
        "--cells 2147483647              | more than 2000000000; --cells 44719 with --fields 1 would fit"})
    void shouldSayWhichBlockWouldFit(String arguments, String problem) {
        ConfigException refused = assertThrows(ConfigException.class,
            () -> program((arguments.strip() + " --verify off").split(" ")).checkLayout(Topology.parse("1")));
        assertTrue(refused.getMessage().contains(problem), refused.getMessage());
    }

    @Test
    void shouldRefuseOptionsThatDoNotFit() {
        JobShape job = JobShape.ONE_NODE_OF_FOUR;
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--dimensions", "4"));
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--neighbours", "6"));
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--dimensions", "3", "--neighbours", "8"));
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--cells", "0"));
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--cells", "60000"));
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--cells", "30000"));
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--fields", "0"));
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--compute", "-1"));
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--compute", "NaN"));
        assertThrows(ParameterException.class, () -> job.run(Halo::new, "--steps", "2147483647", "--warmup",
            "20"));
    }
}
