package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

class AtomicsTest {
    private static final int ROUNDS = 1_000;

    @EveryPath
    void shouldHandOutEachNumberOnceWhenAllFetchAndAdd(String layout) {
        Set<Long> drawn = ConcurrentHashMap.newKeySet();
        Set<Integer> drawnInts = ConcurrentHashMap.newKeySet();
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(16);
            int last = gas.rankCount() - 1;
            for (int i = 0; i < ROUNDS; i++) {
                assertTrue(drawn.add(memory.fetchAndAdd(last, 8, 1)));
                assertTrue(drawnInts.add(memory.fetchAndAddInt(0, 4, -2)));
            }
            gas.barrier();
            assertEquals((long) ROUNDS * gas.rankCount(), memory.getLong(last, 8));
            assertEquals(-2 * ROUNDS * gas.rankCount(), memory.getInt(0, 4));
            assertEquals(0, memory.getInt(0, 0));
            assertEquals(drawn.size(), ROUNDS * gas.rankCount());
            gas.barrier();
        });
    }

    @EveryPath
    void shouldCountExactlyWhenAllCompareAndSwap(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(16);
            for (int i = 0; i < ROUNDS / 10; i++) {
                long seen = memory.getLong(0, 0);
                for (long old = memory.compareAndSwap(0, 0, seen, seen + 3); old != seen;
                    old = memory.compareAndSwap(0, 0, seen, seen + 3)) {
                    seen = old;
                }
                int seenInt = memory.getInt(0, 12);
                for (int old = memory.compareAndSwapInt(0, 12, seenInt, seenInt - 1); old != seenInt;
                    old = memory.compareAndSwapInt(0, 12, seenInt, seenInt - 1)) {
                    seenInt = old;
                }
            }
            gas.barrier();
            assertEquals(3L * (ROUNDS / 10) * gas.rankCount(), memory.getLong(0, 0));
            assertEquals(-(ROUNDS / 10) * gas.rankCount(), memory.getInt(0, 12));
            assertEquals(0, memory.getInt(0, 8));
            gas.barrier();
        });
    }

    @EveryPath
    void shouldLoseNoTokenWhenAllSwap(String layout) {
        LongAdder held = new LongAdder();
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(16);
            int last = gas.rankCount() - 1;
            long token = gas.rank() + 1;
            int small = -gas.rank() - 1;
            for (int i = 0; i < ROUNDS; i++) {
                token = memory.swap(last, 0, token);
                small = memory.swapInt(last, 12, small);
            }
            held.add(token + small);
            gas.barrier();
            if (gas.rank() == last) {
                long all = held.sum() + memory.getLong(last, 0) + memory.getInt(last, 12);
                assertEquals(0, all);
                assertEquals(0, memory.getInt(last, 8));
            }
            gas.barrier();
        });
    }
}
