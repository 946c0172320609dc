package org.tributary.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.CooperationMode;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;

/**
 * Small jobs in which anything goes wrong that may. There are as many of them, each with a seed of its own, as the
 * property {@code tributary.fault.seeds} says.
 */
@Execution(ExecutionMode.SAME_THREAD)
class FaultInjectionTest {
    private static final String[] MODES = {"none", "forward", "aggregate", "combine"};
    private static final int TENTH = Math.max(1, Integer.getInteger("tributary.fault.seeds", 1000) / 10);
    private static final int MOST_LOOPS = 4;
    private static final Costs COSTS = Costs.calibrated();

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6})
    void shouldLoseAndDoubleAndReorderNothingWhenMessagesAreLate(long tenth) {
        LongStream.range(tenth * TENTH, (tenth + 1) * TENTH).forEach(seed -> run(seed, false));
    }

    @ParameterizedTest
    @ValueSource(longs = {7, 8, 9})
    void shouldNameServerWhenItIsLost(long tenth) {
        LongStream.range(tenth * TENTH, (tenth + 1) * TENTH).forEach(seed -> run(seed, true));
    }

    @Test
    void shouldDoTheSameWhenSeedIsTheSame() {
        for (long seed = 0; seed < 40; seed++) {
            Simulation first = run(seed, seed % 2 == 0);
            Simulation second = run(seed, seed % 2 == 0);
            assertEquals(first.history().toString(), second.history().toString());
            assertEquals(first.eventCount(), second.eventCount());
            assertEquals(first.endNs(), second.endNs());
        }
    }

    @Test
    void shouldCombineWhenSeedsRun() {
        long combined = LongStream.range(0, 200).map(seed -> run(seed, false).combined()).sum();
        assertTrue(combined > 100, combined + " requests combined");
    }

    private static Simulation run(long seed, boolean losesServer) {
        SplittableRandom random = new SplittableRandom(seed);
        int nodes = 2 + random.nextInt(5);
        Topology topology = Topology.parse((seed % 2 == 0 ? "cyclic:" : "") + nodes + "*" + (1 + random.nextInt(3)));
        Settings settings = Settings.builder()
            .set("cooperation.mode=" + MODES[random.nextInt(MODES.length)])
            .set("cooperation.scope=" + (random.nextBoolean() ? "node" : "process"))
            .set("cooperation.group-size=" + (1 + random.nextInt(nodes)))
            .set("cooperation.window=" + random.nextInt(3) * 20 + "us")
            .set("cooperation.direct-connections=" + random.nextInt(3))
            .set("cooperation.server-connections=" + random.nextInt(4)).build();
        Faults faults = new Faults(random.nextInt(3) * 40_000L, losesServer ? random.nextInt(nodes) : -1,
            random.nextInt(400_000));
        Program program = new RandomProgram(topology, 2 + random.nextInt(10), !losesServer, seed);
        CooperationOptions options = CooperationOptions.of(settings, topology);
        int loops = options.mode() == CooperationMode.NONE ? 1 + (int) (seed / 2 % MOST_LOOPS) : 1;
        Simulation simulation = new Simulation(topology, options, loops, COSTS, faults, program, seed, true);
        try {
            simulation.run(rank -> true);
            new HistoryCheck(simulation, topology, faults).check();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + ", " + loops + " loops, " + topology + ", "
                + settings.toEnvironment() + ", " + faults, e);
        }
        return simulation;
    }
}
