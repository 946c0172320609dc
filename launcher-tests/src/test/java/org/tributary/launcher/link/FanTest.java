package org.tributary.launcher.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.List;
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
