package org.tributary.launcher.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FanTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 31, 32, 33, 64, 1000, 10_000})
    void shouldReachEveryHostOnceInFewStepsWhenOfAnySize(int hosts) {
        BitSet reached = new BitSet();
        int steps = reach(0, hosts, reached);
        assertEquals(hosts, reached.cardinality());
        assertEquals(hosts, reached.length());
        assertTrue(steps <= (hosts < 32 ? 1 : hosts <= 1000 ? 2 : 3), steps + " steps");
    }

    /** As a launcher and its agents start them, each by its own ranges. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 31, 32, 33, 64, 1000, 10_000})
    void shouldTellWhoIsStartedFromWhomWhenOfAnySize(int hosts) {
        Map<Integer, List<Integer>> expected = new HashMap<>();
        Fan.of(0, hosts).forEach(range -> collect(range, expected));
        assertEquals(expected, Fan.behind(hosts));
        assertEquals(hosts < 32, expected.isEmpty());
    }

    private static void collect(Fan.Range range, Map<Integer, List<Integer>> to) {
        for (Fan.Range next : Fan.of(range.first() + 1, range.count() - 1)) {
            to.computeIfAbsent(range.first(), from -> new ArrayList<>()).add(next.first());
            collect(next, to);
        }
    }

    private static int reach(int first, int count, BitSet reached) {
        List<Fan.Range> ranges = Fan.of(first, count);
        assertTrue(ranges.size() <= 100, ranges.size() + " connections of one process");
        int deepest = 0;
        for (Fan.Range range : ranges) {
            assertTrue(range.count() > 0, range.toString());
            assertTrue(!reached.get(range.first()), range.toString());
            reached.set(range.first());
            deepest = Math.max(deepest, reach(range.first() + 1, range.count() - 1, reached));
        }
        return ranges.isEmpty() ? 0 : deepest + 1;
    }
}
