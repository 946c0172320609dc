package org.tributary.benchmarks.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.simulator.Costs;

class FiguresTest {
    private final List<Result> results = new ArrayList<>();
    private final Figures figures = new Figures(Costs.calibrated(), 0, results::add);

    @Test
    void shouldGiveSameResultsWhenRunAgain() {
        figures.contention(9, 2);
        List<Result> first = List.copyOf(results);
        results.clear();
        figures.contention(9, 2);
        assertEquals(first, results);
        // Three operations; seven variants at three levels, and six routed ones.
        assertEquals(3 * (3 * 7 + 6), first.size());
        assertEquals(Cooperation.Part.CONTENTION.results(), first.size());
    }

    @Test
    void shouldCostLessMemoryWhenMoreCooperate() {
        figures.rings();
        assertEquals(Cooperation.Part.RINGS.results(), results.size());
        for (int i = 0; i < results.size(); i += 3) {
            assertTrue(results.get(i).value() > results.get(i + 1).value());
            assertTrue(results.get(i + 1).value() > results.get(i + 2).value());
        }
    }

    @Test
    void shouldTellWhereLoopsAreBusyWhenRanksBecomeMore() {
        new LoopFigures(Costs.calibrated(), results::add).run();
        assertEquals(Cooperation.Part.LOOPS.results(), results.size());
        double[] puts = full("put");
        double[] computing = full("put-computing");
        for (int i = 0; i < puts.length; i++) {
            assertTrue(puts[i] >= 1 << i && computing[i] > 2 * puts[i], puts[i] + " ranks, computing " + computing[i]);
            assertTrue(i == 0 || puts[i] > puts[i - 1], Arrays.toString(puts));
        }
        List<Result> alone = results.stream().filter(result -> result.part().equals("loops-put") && result.x() == 1)
            .toList();
        assertEquals(4, alone.size());
        alone.forEach(result -> assertEquals(1, result.ratio(), "one rank has one connection: " + result));
    }

    private double[] full(String work) {
        return results.stream().filter(result -> result.part().equals(LoopFigures.FULL)
            && result.variant().equals(work)).mapToDouble(Result::value).toArray();
    }

    @Test
    void shouldBeFullFromTheFirstNumberOfRanksOfWhichTwiceAsManyDoHardlyMore() {
        assertEquals(4, LoopFigures.fullFrom(10, 20, 35, 36, 36));
        assertEquals(1, LoopFigures.fullFrom(10, 10));
        assertEquals(Double.NaN, LoopFigures.fullFrom(10, 20, 40));
    }

    @Test
    void shouldDoEveryTaskWhenApplicationRuns() {
        figures.application(List.of(Topology.uniform(4, 2)), 100_000);
        assertEquals(7, results.size());
        // Six tasks a rank, 0.1 ms each on the average.
        results.forEach(result -> assertTrue(result.value() > 0.0005, result::toString));
    }
}
