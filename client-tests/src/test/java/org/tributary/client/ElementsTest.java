package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.function.Executable;
import org.tributary.client.error.InvalidAddressException;

/** Arrays at indexes, on the node and elsewhere. */
class ElementsTest {
    private static final int BYTES = 256;

    @EveryPlacement
    void shouldPutGetAndAccumulateArraysOfEveryType(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(BYTES);
            Elements elements = Elements.of(memory);
            int to = (gas.rank() + 1) % gas.rankCount();
            elements.put(to, 3, new double[] {1, 2, 3});
            elements.put(to, 14, new long[] {0, Long.MAX_VALUE, 7, 0}, 1, 2);
            elements.put(to, 40, new int[] {4, -5});
            elements.put(to, 50, new float[] {9, 6, 7, 9}, 1, 2);
            elements.accumulate(to, 4, 0.5, new double[] {4, 4});
            elements.accumulate(to, 15, -1L, new long[] {3});
            elements.accumulate(to, 40, 2, new int[] {1, 1});
            elements.accumulate(to, 50, 2f, new float[] {0.5f});
            gas.fence(to);
            double[] doubles = new double[5];
            elements.get(to, 3, doubles, 1, 3);
            assertArrayEquals(new double[] {0, 1, 4, 5, 0}, doubles);
            long[] longs = new long[2];
            elements.get(to, 14, longs);
            assertArrayEquals(new long[] {Long.MAX_VALUE, 4}, longs);
            int[] ints = new int[2];
            elements.get(to, 40, ints);
            assertArrayEquals(new int[] {6, -3}, ints);
            float[] floats = {1, 1, 1, 1};
            elements.get(to, 50, floats, 2, 2);
            assertArrayEquals(new float[] {1, 1, 7, 7}, floats);
            assertEquals(4, memory.getDouble(to, 4 * Double.BYTES));
            gas.barrier();
        });
    }

    @EveryPlacement
    void shouldTouchNothingWhenIndexesAreOutside(String layout) {
        Jobs.run(layout, gas -> {
            Elements elements = Elements.of(gas.allocate(BYTES));
            int to = (gas.rank() + 1) % gas.rankCount();
            double[] two = new double[2];
            for (long index : new long[] {31, 32, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 61}) {
                for (Executable call : List.<Executable>of(() -> elements.put(to, index, two),
                    () -> elements.get(to, index, two), () -> elements.accumulate(to, index, 1, two))) {
                    assertThrows(InvalidAddressException.class, call, "index " + index);
                }
            }
            assertThrows(IndexOutOfBoundsException.class, () -> elements.put(to, 0, two, 1, 2));
            assertThrows(IndexOutOfBoundsException.class, () -> elements.get(to, 0, two, -1, 1));
            assertThrows(RuntimeException.class, () -> elements.get(to, 0, two, 0, -1));
            gas.barrier();
        });
    }
}
