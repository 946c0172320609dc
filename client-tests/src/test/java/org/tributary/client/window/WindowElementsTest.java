package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.function.Executable;
import org.tributary.client.EveryPlacement;
import org.tributary.client.Jobs;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.shape.ReduceOp;

/** Arrays at indexes of a window, on the node and elsewhere. */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class WindowElementsTest {
    private static final int BYTES = 256;
    private static final List<Style> STYLES = List.of(Style.FENCE_AUTO, Style.EXPOSURE_AUTO, Style.EXCLUSIVE_AUTO);

    @EveryPlacement
    void shouldPutGetAndCombineArraysOfEveryType(String layout) {
        Jobs.run(layout, gas -> {
            int to = (gas.rank() + 1) % gas.rankCount();
            for (Style style : STYLES) {
                Windows.use(style.allocate(gas, BYTES, 4), window -> {
                    WindowElements elements = WindowElements.of(window);
                    style.epoch(window, () -> {
                        elements.put(to, 3, new double[] {1, 2, 3});
                        elements.put(to, 14, new long[] {0, Long.MAX_VALUE, 7, 0}, 1, 2);
                        elements.put(to, 40, new int[] {4, -5});
                        elements.put(to, 50, new float[] {9, 6, 7, 9}, 1, 2);
                    });
                    double[] doublesBefore = new double[2];
                    float[] floatsBefore = new float[1];
                    style.epoch(window, () -> {
                        elements.accumulate(to, 3, ReduceOp.MAX, new double[] {0.5});
                        elements.getAccumulate(to, 4, ReduceOp.SUM, new double[] {4, 4}, doublesBefore);
                        elements.accumulate(to, 15, ReduceOp.BITWISE_AND, new long[] {3});
                        elements.accumulate(to, 40, ReduceOp.MIN, new int[] {5, -6});
                        elements.accumulate(to, 50, ReduceOp.PRODUCT, new float[] {0.5f});
                        elements.getAccumulate(to, 51, ReduceOp.REPLACE, new float[] {8}, floatsBefore);
                    });
                    assertArrayEquals(new double[] {2, 3}, doublesBefore);
                    assertArrayEquals(new float[] {7}, floatsBefore);
                    double[] doubles = new double[5];
                    long[] longs = new long[2];
                    int[] ints = new int[2];
                    float[] floats = {1, 1, 1, 1};
                    style.epoch(window, () -> {
                        elements.get(to, 3, doubles, 1, 3);
                        elements.get(to, 14, longs);
                        elements.get(to, 40, ints);
                        elements.get(to, 50, floats, 2, 2);
                    });
                    assertArrayEquals(new double[] {0, 1, 6, 7, 0}, doubles);
                    assertArrayEquals(new long[] {Long.MAX_VALUE, 3}, longs);
                    assertArrayEquals(new int[] {4, -6}, ints);
                    assertArrayEquals(new float[] {1, 1, 3, 8}, floats);
                    assertEquals(6, window.local().get(ValueLayout.JAVA_DOUBLE, 4 * Double.BYTES), style::name);
                });
            }
        });
    }

    @EveryPlacement
    void shouldCountAndSwapWhenAllRanksUseOneElement(String layout) {
        Jobs.run(layout, gas -> {
            for (Style style : STYLES) {
                Windows.use(style.allocate(gas, BYTES, 8), window -> {
                    WindowElements elements = WindowElements.of(window);
                    long[] ticket = new long[1];
                    int[] left = new int[1];
                    int[] won = new int[1];
                    style.epoch(window, () -> {
                        elements.getAccumulate(0, 5, ReduceOp.SUM, new long[] {1}, ticket);
                        elements.getAccumulate(0, 24, ReduceOp.SUM, new int[] {-1}, left);
                        elements.compareAndSwap(0, 26, 0, gas.rank() + 1, won);
                    });
                    long sum = gas.rankCount() * (gas.rankCount() - 1L) / 2;
                    assertEquals(sum, gas.world().allreduce(ReduceOp.SUM, ticket[0]), style::name);
                    assertEquals(-sum, gas.world().allreduce(ReduceOp.SUM, (long) left[0]), style::name);
                    assertEquals(1, gas.world().allreduce(ReduceOp.SUM, won[0] == 0 ? 1L : 0L), style::name);
                    long[] before = new long[1];
                    style.epoch(window, () -> elements.compareAndSwap(0, 6, -1L, 4L, before));
                    assertEquals(0, before[0]);
                });
            }
        });
    }

    @EveryPlacement
    void shouldTouchNothingWhenIndexesAreOutside(String layout) {
        Jobs.run(layout, gas -> Windows.use(Style.SHARED_AUTO.allocate(gas, BYTES, 8), window -> {
            WindowElements elements = WindowElements.of(window);
            int to = (gas.rank() + 1) % gas.rankCount();
            double[] two = new double[2];
            Style.SHARED_AUTO.epoch(window, () -> {
                for (long index : new long[] {31, 32, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 61}) {
                    for (Executable call : List.<Executable>of(() -> elements.put(to, index, two),
                        () -> elements.get(to, index, two), () -> elements.accumulate(to, index, ReduceOp.SUM, two),
                        () -> elements.getAccumulate(to, index, ReduceOp.SUM, two, new double[2]))) {
                        assertThrows(InvalidAddressException.class, call, "index " + index);
                    }
                }
                String message = assertThrows(IllegalArgumentException.class,
                    () -> elements.put(to, 1, new int[1])).getMessage();
                assertTrue(message.endsWith("element 1 of 4 bytes begins within a unit of displacement of rank " + to
                    + ", which has 8 bytes"), message);
                assertThrows(IndexOutOfBoundsException.class, () -> elements.put(to, 0, two, 1, 2));
                assertThrows(IndexOutOfBoundsException.class, () -> elements.get(to, 0, two, -1, 1));
                assertThrows(IndexOutOfBoundsException.class,
                    () -> elements.getAccumulate(to, 0, ReduceOp.SUM, two, new double[1]));
            });
            for (byte value : window.local().toArray(ValueLayout.JAVA_BYTE)) {
                assertEquals(0, value);
            }
        }));
    }
}
