package org.tributary.benchmarks.windows;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.testing.TestJob;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;

class WindowsTest {
    private static final Topology TWO_BY_TWO = Topology.uniform(2, 2);
    private static final Effort BRIEF = Effort.ofSeconds(0.002);

    @ParameterizedTest
    @EnumSource
    void shouldMeasureEveryDesignWhenJobHasTwoNodes(Part part) {
        List<Result> results = run(part, TWO_BY_TWO);

        Set<String> designs = results.stream().map(Result::design).collect(Collectors.toSet());
        assertTrue(designs.containsAll(Set.of("AUTO", "DEFERRED")), designs::toString);
        for (Result result : results) {
            assertEquals(part, result.part());
            assertTrue(result.outcome().iterations() > 0 && result.outcome().p99Ns() >= result.outcome().medianNs(),
                result::toString);
        }
    }

    @Test
    void shouldCountMessagesWhenLockAndPutTravelTogether() {
        List<Result> results = run(Part.LOCK_MESSAGES, TWO_BY_TWO);

        for (Result result : results) {
            if (result.design().equals("DEFERRED")) {
                assertEquals(List.of(1.0, 1.0), List.of(result.outcome().requests(), result.outcome().answers()),
                    result::toString);
            }
        }
    }

    @Test
    void shouldMeasureLocksOnOwnMemoryWhenNodeHasOneRank() {
        assertFalse(run(Part.LOCK_PUT_UNLOCK, Topology.uniform(2, 1)).isEmpty());
    }

    @Test
    void shouldMeasureLocksOnTheNodeWhenItsRanksAreNotInARow() {
        assertFalse(run(Part.LOCK_PUT_UNLOCK, Topology.parse("cyclic:2*2")).isEmpty());
    }

    @Test
    void shouldTakeRanksOfAllNodesInTurnWhenGroupIsSmall() {
        Topology uneven = Topology.of(3, 1, 2);

        assertArrayEquals(new int[] {0, 3}, Bench.spread(uneven, 2));
        assertArrayEquals(new int[] {0, 3, 4, 1, 5, 2}, Bench.spread(uneven, 16));
        assertArrayEquals(new int[] {0, 1, 2, 3}, Bench.spread(Topology.parse("map:1,0,1,0"), 16));
    }

    @Test
    void shouldRefusePartsWhenJobIsTooSmall() {
        Topology oneNode = Topology.uniform(1, 2);

        assertFalse(Suite.available(oneNode).contains(Part.LOCK_MESSAGES));
        Suite.check(Suite.available(oneNode), oneNode);
        assertThrows(ConfigException.class, () -> Suite.check(List.of(Part.LOCK_MESSAGES), oneNode));
        assertThrows(ConfigException.class, () -> Suite.check(List.of(), Topology.uniform(1, 1)));
        assertEquals(Arrays.asList(Part.values()), Suite.available(TWO_BY_TWO));
    }

    @Test
    void shouldJudgeTheFasterOfTheFavouredAloneWhenNeighboursExchange() {
        List<Result> results = run(Part.HALO, TWO_BY_TWO);

        Map<String, List<Result>> judged = results.stream().filter(result -> result.isMet() != null)
            .collect(Collectors.groupingBy(result -> result.table() + " " + result.bytes()));
        assertEquals(results.stream().map(result -> result.table() + " " + result.bytes()).collect(Collectors.toSet()),
            judged.keySet());
        judged.forEach((contest, some) -> assertEquals(1, some.size(), contest));
    }

    @Test
    void shouldNotReportTheFirstContestWhenAJobBegins() {
        List<Result> results = run(Part.TWO_FENCES, Topology.uniform(2, 1));
        int contestants = FenceWindows.designs().size() + 2;

        assertEquals(contestants, results.size());
        try (TestJob job = TestJob.start(Topology.uniform(2, 1))) {
            job.run(gas -> {
                Bench bench = new Bench(gas, BRIEF, result -> { });
                new Suite(bench, List.of(Part.TWO_FENCES)).run();
                assertEquals(2 * Bench.CONTEST, bench.thirdsDone());
            });
        }
    }

    private static List<Result> run(Part part, Topology topology) {
        List<Result> results = new ArrayList<>();
        try (TestJob job = TestJob.start(topology)) {
            job.run(gas -> {
                Bench bench = new Bench(gas, BRIEF, results::add);
                Suite suite = new Suite(bench, List.of(part));
                suite.run();
                if (bench.isOrigin()) {
                    assertEquals(suite.thirds(), bench.thirdsDone());
                }
            });
        }
        return results;
    }
}
