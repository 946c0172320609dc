package org.tributary.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;

class SumTest {
    @ParameterizedTest
    @ValueSource(strings = {"4", "2*2", "1,3"})
    void shouldCountEveryRankWhereverItIs(String layout) throws Exception {
        Ranks.of(layout).run(SumTest::count);
    }

    static void count(Gas gas) {
        GlobalMemory memory = gas.allocate(8);
        memory.fetchAndAdd(0, 0, 1);
        gas.barrier();
        assertEquals(gas.rankCount(), memory.getLong(0, 0));
        gas.barrier();
        memory.close();
    }
}
