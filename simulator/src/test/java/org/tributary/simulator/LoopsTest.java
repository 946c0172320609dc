package org.tributary.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;

/** Servers of several event loops, to which ranks of other nodes send. */
class LoopsTest {
    private static final Topology TOPOLOGY = Topology.uniform(33, 1);
    private static final Costs COSTS = Costs.calibrated();
    private static final int OPERATIONS = 100;

    @ParameterizedTest
    @EnumSource(value = Op.Kind.class, names = {"PUT", "GET", "FETCH_AND_ADD"})
    void shouldTakeAQuarterOfTheTimeWhenFourLoopsAreBusy(Op.Kind kind) {
        long one = endNs(kind, 32, 1);
        long four = endNs(kind, 32, 4);
        assertTrue(four > one / 4 && four < one / 3, one + " ns, and with four loops " + four);
    }

    @ParameterizedTest
    @EnumSource(value = Op.Kind.class, names = {"PUT", "FETCH_AND_ADD", "LOCK"})
    void shouldDoTheSameWhenTheMainLoopHasTheOnlyConnection(Op.Kind kind) {
        assertEquals(endNs(kind, 1, 1), endNs(kind, 1, 4));
    }

    /** Of two connections, one is of another loop, whose requests and answers change the loop. */
    @Test
    void shouldPayForTheHandOverWhenAnotherLoopHasTheConnection() {
        long main = endNs(Op.Kind.LOCK, 1, 2);
        long other = endNs(Op.Kind.LOCK, 2, 2);
        assertTrue(other > main, main + " ns by the main loop, " + other + " by both");
        assertTrue(endNs(Op.Kind.FETCH_AND_ADD, 2, 2) < endNs(Op.Kind.FETCH_AND_ADD, 2, 1));
    }

    @Test
    void shouldRefuseSeveralLoopsWhenNodesCooperate() {
        Settings settings = Settings.builder().set("cooperation.mode=forward").build();
        CooperationOptions options = CooperationOptions.of(settings, TOPOLOGY);
        assertThrows(IllegalArgumentException.class, () -> simulation(options, 2, rank -> { }));
        assertThrows(IllegalArgumentException.class, () -> simulation(options, 0, rank -> { }));
    }

    /** So many ranks do something on a word, or with a mutex, of their own. */
    private static long endNs(Op.Kind kind, int ranks, int loops) {
        CooperationOptions options = CooperationOptions.of(Settings.defaults(), TOPOLOGY);
        Simulation done = simulation(options, loops, rank -> {
            if (kind == Op.Kind.LOCK && rank.stepsMade() > 0 && rank.stepsMade() <= OPERATIONS) {
                rank.begin(Op.Kind.UNLOCK, 0, rank.rank(), 0, 0);
            }
            if (rank.stepsMade() < OPERATIONS) {
                rank.await(rank.begin(kind, 0, rank.rank(), 1, Long.BYTES));
            }
        }).run(rank -> rank > 0 && rank <= ranks);
        done.checkNothingWaits();
        if (kind == Op.Kind.FETCH_AND_ADD) {
            assertEquals(OPERATIONS, done.word(0, 1));
        }
        return done.endNs();
    }

    private static Simulation simulation(CooperationOptions options, int loops, Program program) {
        return new Simulation(TOPOLOGY, options, loops, COSTS, Faults.NONE, program, 1, true);
    }
}
