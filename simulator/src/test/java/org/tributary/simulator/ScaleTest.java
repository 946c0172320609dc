package org.tributary.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;

/** Jobs of the sizes that are simulated: a few thousand ranks of each draw from one counter. */
class ScaleTest {
    private static final int DRAWS = 3;

    @ParameterizedTest
    @CsvSource({"256, 4, 1", "1024, 12, 8", "50000, 20, 500"})
    void shouldDrawEveryNumberOnceWhenLarge(int nodes, int ranksPerNode, int every) {
        Topology topology = Topology.uniform(nodes, ranksPerNode);
        Settings settings = Settings.builder().set("cooperation.mode=combine").set("cooperation.scope=node").build();
        Simulation simulation = new Simulation(topology, CooperationOptions.of(settings, topology),
            Costs.calibrated(), Faults.NONE, rank -> {
                if (rank.stepsMade() < DRAWS) {
                    rank.await(rank.begin(Op.Kind.FETCH_AND_ADD, 0, 0, 1, Long.BYTES));
                }
            }, 1, true).run(rank -> rank % every == 0);
        int drawers = (topology.rankCount() + every - 1) / every;
        assertEquals((long) DRAWS * drawers, simulation.word(0, 0));
        assertEquals((long) DRAWS * drawers, simulation.history().stream().mapToLong(Op::value).distinct().count());
        // Only servers on the way exist.
        assertTrue(simulation.serverCount() <= drawers + topology.nodeCount() / 2, simulation.serverCount() + "");
        simulation.checkNothingWaits();
    }
}
