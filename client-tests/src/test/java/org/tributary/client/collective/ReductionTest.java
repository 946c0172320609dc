package org.tributary.client.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.Reducer;

/** Values at which types differ from exact arithmetic, and what lies around the combined range. */
final class ReductionTest {
    private static double[] combine(ReduceOp op, ElementType type, double[] a, double... b) {
        reduction(op, type).combine(MemorySegment.ofArray(a), 0, MemorySegment.ofArray(b), 0, 8L * a.length);
        return a;
    }

    private static Reduction reduction(ReduceOp op, ElementType type) {
        return new Reduction(op, type, new Reducer());
    }

    @Test
    void shouldWrapAroundWhenIntegersOverflow() {
        long[] a = {Long.MAX_VALUE, Long.MIN_VALUE};
        reduction(ReduceOp.SUM, ElementType.LONG).combine(MemorySegment.ofArray(a), 0,
            MemorySegment.ofArray(new long[] {1, -1}), 0, 16);
        assertArrayEquals(new long[] {Long.MIN_VALUE, Long.MAX_VALUE}, a);
        int[] b = {1 << 20};
        reduction(ReduceOp.PRODUCT, ElementType.INT).combine(MemorySegment.ofArray(b), 0,
            MemorySegment.ofArray(new int[] {(1 << 12) + 1}), 0, 4);
        assertArrayEquals(new int[] {1 << 20}, b);
    }

    @Test
    void shouldOrderZerosAndKeepNanWhenTheMinimumIsTaken() {
        double[] min = combine(ReduceOp.MIN, ElementType.DOUBLE, new double[] {0.0, -0.0, 1, Double.NaN}, -0.0, 0.0,
            Double.NaN, 1);
        assertArrayEquals(new double[] {-0.0, -0.0, Double.NaN, Double.NaN}, min);
        double[] max = combine(ReduceOp.MAX, ElementType.DOUBLE, new double[] {0.0, -0.0, 1, Double.NaN}, -0.0, 0.0,
            Double.NaN, 1);
        assertArrayEquals(new double[] {0.0, 0.0, Double.NaN, Double.NaN}, max);
    }

    @Test
    void shouldMultiplyComplexNumbersWhenTheProductIsTaken() {
        assertArrayEquals(new double[] {-5, 10, 0, 1},
            combine(ReduceOp.PRODUCT, ElementType.COMPLEX_DOUBLE, new double[] {1, 2, 0, 1}, 3, 4, 1, 0));
    }

    @Test
    void shouldLeaveTheRestAloneWhenOnlyARangeIsCombined() {
        int[] a = {1, 2, 3, 4};
        reduction(ReduceOp.SUM, ElementType.INT).combine(MemorySegment.ofArray(a), 4,
            MemorySegment.ofArray(new int[] {10, 20, 30}), 0, 8);
        assertArrayEquals(new int[] {1, 12, 23, 4}, a);
    }

    @Test
    void shouldCombineEveryElementWhenTheyFillSeveralTiles() {
        for (ReduceOp op : ReduceOp.values()) {
            for (ElementType type : ElementType.values()) {
                long elements = 2L * Reducer.TILE_BYTES / type.sizeInBytes() + 3;
                if (Reduction.defined(op, type)) {
                    MemorySegment a = Arena.ofAuto().allocate(elements * type.sizeInBytes());
                    a.copyFrom(Vectors.of(op, type, 0, elements));
                    reduction(op, type).combine(a, 0, Vectors.of(op, type, 1, elements), 0, a.byteSize());
                    Vectors.assertSame(type, Vectors.reduced(op, type, 2, 0, elements), a, op + " " + type);
                }
            }
        }
    }

    @Test
    void shouldRefuseWhenComplexNumbersAreToBeOrdered() {
        for (ReduceOp op : new ReduceOp[] {ReduceOp.MIN, ReduceOp.MAX}) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> reduction(op, ElementType.COMPLEX_FLOAT));
            assertEquals(op + " is not defined for COMPLEX_FLOAT: complex numbers have no order; SUM and PRODUCT are "
                + "defined", e.getMessage());
        }
    }

    @Test
    void shouldRefuseWhenBitsOfFloatingPointNumbersOrTheOrderOfMembersMatter() {
        for (ReduceOp op : ReduceOp.values()) {
            if (op.ordinal() >= ReduceOp.LOGICAL_AND.ordinal() && op.ordinal() <= ReduceOp.BITWISE_XOR.ordinal()) {
                IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                    () -> reduction(op, ElementType.DOUBLE));
                assertEquals(op + " is not defined for DOUBLE: it combines integers only, INT and LONG",
                    e.getMessage());
            }
        }
        for (ReduceOp op : new ReduceOp[] {ReduceOp.REPLACE, ReduceOp.NO_OP}) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> reduction(op, ElementType.LONG));
            assertEquals(op + " is not defined for LONG: its result depends on the order of members; it is for "
                + "accumulates", e.getMessage());
        }
    }
}
