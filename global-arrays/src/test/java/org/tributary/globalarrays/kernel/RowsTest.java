package org.tributary.globalarrays.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.wire.shape.ElementType;

class RowsTest {
    private static final int COUNT = 37;
    private static final double INFINITY = Double.POSITIVE_INFINITY;

    @ParameterizedTest
    @EnumSource
    void shouldFillOnlyTheRow(ElementType type) {
        MemorySegment row = Numbers.random(type, COUNT + 2, new Random(1));
        Complex[] old = Numbers.all(type, row);
        Complex value = real(type, new Complex(-7, 11));
        Rows.fill(Numbers.scale(type, value), row, type.sizeInBytes(), COUNT);
        for (int i = 0; i < old.length; i++) {
            assertEquals(i == 0 || i > COUNT ? old[i] : value, Numbers.get(type, row, i));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldScaleOnlyTheRow(ElementType type) {
        MemorySegment row = Numbers.random(type, COUNT + 2, new Random(2));
        Complex[] old = Numbers.all(type, row);
        Complex factor = real(type, new Complex(3, -2));
        Rows.scale(Numbers.scale(type, factor), row, type.sizeInBytes(), COUNT);
        for (int i = 0; i < old.length; i++) {
            Numbers.assertClose(type, i == 0 || i > COUNT ? old[i] : factor.times(old[i]), Numbers.get(type, row, i));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAddInPlaceToo(ElementType type) {
        MemorySegment a = Numbers.random(type, COUNT, new Random(3));
        MemorySegment b = Numbers.random(type, COUNT, new Random(4));
        Complex[] oldA = Numbers.all(type, a);
        Complex[] oldB = Numbers.all(type, b);
        Complex alpha = real(type, new Complex(2, 1));
        Complex beta = real(type, new Complex(-3, 4));
        Rows.add(a, 0, Numbers.scale(type, alpha), a, 0, Numbers.scale(type, beta), b, 0, COUNT);
        for (int i = 0; i < COUNT; i++) {
            Numbers.assertClose(type, alpha.times(oldA[i]).plus(beta.times(oldB[i])), Numbers.get(type, a, i));
            assertEquals(oldB[i], Numbers.get(type, b, i));
        }
    }

    /** As accumulates do: a product with 0 i would make a NaN of the other component. */
    @ParameterizedTest
    @EnumSource(names = {"COMPLEX_FLOAT", "COMPLEX_DOUBLE"})
    void shouldKeepInfinitiesWhenFactorsAreReal(ElementType type) {
        Complex[] infinite = {new Complex(INFINITY, 0), new Complex(1, -INFINITY)};
        MemorySegment row = Numbers.segment(type, infinite);
        Rows.scale(Numbers.scale(type, new Complex(2, 0)), row, 0, 2);
        assertArrayEquals(new Complex[] {infinite[0], new Complex(2, -INFINITY)}, Numbers.all(type, row));
        MemorySegment finite = Numbers.segment(type, new Complex(1, 1), new Complex(1, 1));
        MemorySegment sum = Numbers.segment(type, infinite);
        Rows.add(sum, 0, Numbers.scale(type, new Complex(2, 0)), sum, 0, Numbers.scale(type, new Complex(3, 0)), finite,
            0, 2);
        assertArrayEquals(new Complex[] {new Complex(INFINITY, 3), new Complex(5, -INFINITY)}, Numbers.all(type, sum));
        Rows.add(sum, 0, Numbers.scale(type, new Complex(0, 2)), finite, 0, Numbers.scale(type, new Complex(1, 0)), sum,
            0, 2);
        assertArrayEquals(new Complex[] {new Complex(INFINITY, 5), new Complex(3, -INFINITY)}, Numbers.all(type, sum));
    }

    @ParameterizedTest
    @EnumSource
    void shouldSumProductsWithoutConjugation(ElementType type) {
        MemorySegment a = Numbers.random(type, COUNT, new Random(5));
        MemorySegment b = Numbers.random(type, COUNT, new Random(6));
        DotProduct dot = new DotProduct(type);
        dot.addRow(a, 0, b, 0, COUNT - 4);
        long rest = (long) (COUNT - 4) * type.sizeInBytes();
        dot.addRow(a, rest, b, rest, 4);
        Complex sum = new Complex(0, 0);
        for (int i = 0; i < COUNT; i++) {
            sum = sum.plus(Numbers.get(type, a, i).times(Numbers.get(type, b, i)));
        }
        boolean integral = type == ElementType.INT || type == ElementType.LONG;
        assertEquals(sum, new Complex(integral ? dot.integer() : dot.re(), dot.im()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldTransposeWithPitches(ElementType type) {
        int rows = 21;
        int columns = 34;
        MemorySegment source = Numbers.random(type, rows * (columns + 1), new Random(7));
        MemorySegment target = Numbers.random(type, columns * (rows + 2), new Random(8));
        Complex[] old = Numbers.all(type, target);
        int size = type.sizeInBytes();
        Transposition.transpose(size, source, 0, (columns + 1L) * size, target, 0, (rows + 2L) * size, rows, columns);
        for (int j = 0; j < columns; j++) {
            for (int i = 0; i < rows + 2; i++) {
                int at = j * (rows + 2) + i;
                Complex want = i < rows ? Numbers.get(type, source, i * (columns + 1L) + j) : old[at];
                assertEquals(want, Numbers.get(type, target, at));
            }
        }
    }

    private static Complex real(ElementType type, Complex value) {
        return type.name().startsWith("COMPLEX") ? value : new Complex(value.re(), 0);
    }
}
