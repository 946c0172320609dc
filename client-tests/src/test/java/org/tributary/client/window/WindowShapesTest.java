package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.tributary.client.EveryPlacement;
import org.tributary.client.Jobs;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Strided;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** Strided and vector operations, in every design of every synchronization, on every path. */
class WindowShapesTest {
    private static final int ROWS = 40;
    private static final int UNIT = 8;

    /** What moves between the rows of a buffer and those of a target, one behind the other here, apart there. */
    private record Layout(int rowBytes, int pitch) {
        long bytes() {
            return (long) ROWS * rowBytes;
        }

        Strided forwards() {
            return Strided.rows(rowBytes, ROWS, rowBytes, pitch);
        }

        Strided backwards() {
            return Strided.rows(rowBytes, ROWS, rowBytes, -pitch);
        }

        Ranges ranges() {
            long[] here = new long[ROWS];
            long[] there = new long[ROWS];
            for (int row = 0; row < ROWS; row++) {
                here[row] = (long) row * rowBytes;
                there[row] = (long) row * pitch;
            }
            return Ranges.uniform(rowBytes, here, there);
        }

        MemorySegment gathered(MemorySegment target, long from, boolean isBackwards) {
            MemorySegment rows = Jobs.empty(bytes());
            for (int row = 0; row < ROWS; row++) {
                long at = from + (long) pitch * (isBackwards ? ROWS - 1 - row : row);
                MemorySegment.copy(target, at, rows, (long) row * rowBytes, rowBytes);
            }
            return rows;
        }
    }

    /** Merged, of one message, of several. */
    private static final Layout[] LAYOUTS = {new Layout(16, 96), new Layout(512, 2_048), new Layout(8_192, 24_576)};

    @EveryPlacement
    void shouldMoveRowsWhenStridedOrVector(String layout) {
        Jobs.run(layout, gas -> {
            for (Style style : Style.values()) {
                for (Layout rows : LAYOUTS) {
                    long part = (long) rows.pitch * ROWS;
                    int right = (gas.rank() + 1) % gas.rankCount();
                    int left = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
                    MemorySegment[] got = {Jobs.empty(rows.bytes()), Jobs.empty(rows.bytes()),
                        Jobs.empty(rows.bytes())};
                    String what = style + ", rows of " + rows.rowBytes;
                    Windows.use(style.allocate(gas, 3 * part, UNIT), window -> {
                        style.epoch(window, () -> {
                            window.putStrided(right, 0, Jobs.random(gas.rank(), rows.bytes()), 0, rows.forwards());
                            window.putStrided(right, (2 * part - rows.pitch) / UNIT,
                                Jobs.random(100 + gas.rank(), rows.bytes()), 0, rows.backwards());
                            window.putVector(right, 2 * part / UNIT, Jobs.random(200 + gas.rank(), rows.bytes()),
                                rows.ranges());
                        });
                        for (int part3 = 0; part3 < 3; part3++) {
                            Jobs.assertSame(Jobs.random(100 * part3 + left, rows.bytes()),
                                rows.gathered(window.local(), part3 * part, part3 == 1), what + " put " + part3);
                        }
                        style.epoch(window, () -> {
                            window.getStrided(right, 0, got[0], 0, rows.forwards());
                            window.getStrided(right, (2 * part - rows.pitch) / UNIT, got[1], 0, rows.backwards());
                            window.getVector(right, 2 * part / UNIT, got[2], rows.ranges());
                        });
                        for (int part3 = 0; part3 < 3; part3++) {
                            Jobs.assertSame(Jobs.random(100 * part3 + gas.rank(), rows.bytes()), got[part3],
                                what + " got " + part3);
                        }
                    });
                }
            }
        });
    }

    @EveryPlacement
    void shouldCombineRowsWhenAllAccumulate(String layout) {
        Jobs.run(layout, gas -> {
            for (Style style : Style.values()) {
                for (Layout rows : LAYOUTS) {
                    long part = (long) rows.pitch * ROWS;
                    int last = gas.rankCount() - 1;
                    Windows.use(style.allocate(gas, 2 * part, UNIT), window -> {
                        MemorySegment source = operand(rows, gas.rank());
                        style.epoch(window, () -> {
                            window.accumulateStrided(last, 0, ReduceOp.SUM, ElementType.DOUBLE, source, 0,
                                rows.forwards());
                            window.accumulateVector(last, part / UNIT, ReduceOp.MAX, ElementType.DOUBLE, source,
                                rows.ranges());
                        });
                        MemorySegment sum = Jobs.empty(rows.bytes());
                        MemorySegment largest = Jobs.empty(rows.bytes());
                        for (int origin = 0; origin <= last && gas.rank() == last; origin++) {
                            Model.combine(ReduceOp.SUM, ElementType.DOUBLE, sum, 0, operand(rows, origin), 0,
                                rows.bytes());
                            Model.combine(ReduceOp.MAX, ElementType.DOUBLE, largest, 0, operand(rows, origin), 0,
                                rows.bytes());
                        }
                        assertEquals(-1, Model.mismatch(ElementType.DOUBLE, sum,
                            rows.gathered(window.local(), 0, false)), style + " " + rows);
                        assertEquals(-1, Model.mismatch(ElementType.DOUBLE, largest,
                            rows.gathered(window.local(), part, false)), style + " " + rows);
                    });
                }
            }
        });
    }

    private static MemorySegment operand(Layout rows, int rank) {
        return Model.elements(new Random(rank), ElementType.DOUBLE, rows.bytes(), false);
    }
}
