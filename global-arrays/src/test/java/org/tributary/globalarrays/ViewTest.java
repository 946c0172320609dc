package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.Gas;
import org.tributary.client.remote.Handle;
import org.tributary.globalarrays.distribution.Indices;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.wire.shape.ElementType;

/** Arrays as numbers of Java's own types, and as text. */
class ViewTest {
    private static final long[] DIMS = {5, 7, 3};

    /** The number that an element gets: exact in every type, another one for each element. */
    private static int number(long... index) {
        return (int) (100 * index[0] + 10 * index[1] + index[2]);
    }

    /** Every rank reads and writes any element, and maps, visits and reduces, whichever rank owns what. */
    @ParameterizedTest
    @EnumSource
    void shouldReadWriteMapAndReduceElementsOfEachType(JobShape job) {
        Patch whole = Patch.whole(DIMS);
        Patch inner = Patch.of(new long[] {1, 0, 2}, new long[] {4, 6, 3});
        long sum = 0;
        for (long k = 0; k < inner.elementCount(); k++) {
            sum += 2L * number(Indices.at(inner, k));
        }
        long expected = sum;
        job.run(gas -> {
            try (GlobalArray array = of(gas, ElementType.DOUBLE)) {
                DoubleView view = DoubleView.of(array);
                view.map(whole, (value, index) -> number(index));
                view.map(inner, (value, index) -> value + number(index));
                check(array, inner, index -> view.get(index), () -> view.set(0.5, 4, 6, 2));
                assertEquals(expected, view.reduce(inner, 0, Double::sum));
                assertEquals(0.5, view.reduce(whole, Double.MAX_VALUE, (value, index) -> value == 0 ? 1 : value,
                    Math::min));
                assertEquals(1, view.reduce(Patch.of(new long[3], new long[3]), 1, (left, right) -> left * right));
                long[] seen = {0};
                view.forEachLocal((value, index) -> {
                    assertEquals(array.get(index).asDouble(), value);
                    seen[0]++;
                });
                assertEquals(array.access().patch().elementCount(), seen[0]);
            }
            try (GlobalArray array = of(gas, ElementType.FLOAT)) {
                FloatView view = FloatView.of(array);
                view.map(whole, (value, index) -> number(index));
                view.map(inner, (value, index) -> value + number(index));
                check(array, inner, index -> (double) view.get(index), () -> view.set(0.5f, 4, 6, 2));
                assertEquals(expected, view.reduce(inner, 0, Float::sum));
                view.forEachLocal((value, index) -> assertEquals(array.get(index).asDouble(), value));
            }
            try (GlobalArray array = of(gas, ElementType.LONG)) {
                LongView view = LongView.of(array);
                view.map(whole, (value, index) -> number(index));
                view.map(inner, (value, index) -> value + number(index));
                check(array, inner, index -> (double) view.get(index), () -> view.set(1L << 40, 4, 6, 2));
                assertEquals(expected, view.reduce(inner, 0, Long::sum));
                assertEquals(1L << 40, view.reduce(whole, Long.MIN_VALUE, Math::max));
                view.forEachLocal((value, index) -> assertEquals(array.get(index).asLong(), value));
            }
            try (GlobalArray array = of(gas, ElementType.INT)) {
                IntView view = IntView.of(array);
                view.map(whole, (value, index) -> number(index));
                view.map(inner, (value, index) -> value + number(index));
                check(array, inner, index -> (double) view.get(index), () -> view.set(-3, 4, 6, 2));
                assertEquals(expected, view.reduce(inner, 0, Integer::sum));
                assertEquals(-3, view.reduce(whole, Integer.MAX_VALUE, Math::min));
                view.forEachLocal((value, index) -> assertEquals(array.get(index).asLong(), value));
            }
        });
    }

    private static GlobalArray of(Gas gas, ElementType type) {
        return GlobalArray.builder(gas, type.name(), type, DIMS).ghosts(1, 0, 1).create();
    }

    /** Every element holds its number, twice that in the inner patch; then the last rank writes the last element. */
    private static void check(GlobalArray array, Patch inner, Function<long[], Double> get, Runnable setLast) {
        Indices.forEach(Patch.whole(DIMS), index -> assertEquals((inner.contains(index) ? 2.0 : 1.0) * number(index),
            get.apply(index), () -> array.name() + Arrays.toString(index)));
        array.barrier();
        if (array.group().rank() == array.group().size() - 1) {
            setLast.run();
        }
        array.barrier();
        assertEquals(array.get(4, 6, 2).asDouble(), get.apply(new long[] {4, 6, 2}));
    }

    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldRefuseWhatDoesNotFit(JobShape job) {
        job.run(gas -> {
            GlobalArray array = GlobalArray.create(gas, "A", ElementType.DOUBLE, 4, 5);
            assertEquals("array 'A': a view of LONG does not fit its elements of type DOUBLE",
                assertThrows(ArrayShapeException.class, () -> LongView.of(array)).getMessage());
            DoubleView view = DoubleView.of(array);
            assertThrows(ArrayBoundsException.class, () -> view.get(0, 5));
            assertThrows(ArrayBoundsException.class, () -> view.set(1, -1, 0));
            assertThrows(ArrayShapeException.class, () -> view.get(0));
            assertThrows(ArrayBoundsException.class, () -> view.map(Patch.of(0, 5, 0, 1), (value, index) -> value));
            assertThrows(ArrayBoundsException.class,
                () -> ArrayPrinter.print(array, Patch.of(0, 5, 0, 1), System.err));
            array.close();
            assertThrows(ArrayClosedException.class, () -> view.get(0, 0));
            assertThrows(ArrayClosedException.class, () -> view.forEachLocal((value, index) -> { }));
        });
    }

    /** Several patches of several arrays are under way at once; one wait for all of them. */
    @ParameterizedTest
    @EnumSource
    void shouldAwaitManyTransfersTogether(JobShape job) {
        job.run(gas -> {
            GlobalArray a = GlobalArray.create(gas, "A", ElementType.DOUBLE, 12, 12);
            GlobalArray b = GlobalArray.create(gas, "B", ElementType.LONG, 40);
            a.zero();
            b.zero();
            Handle puts = gas.handle();
            Handle sums = gas.handle();
            double[] ones = new double[12 * 12];
            Arrays.fill(ones, 1);
            long[] rank = {gas.rank()};
            a.nbAccumulate(sums, Patch.whole(12, 12), LocalBuffer.of(ones), Scalar.of(2));
            a.nbAccumulate(sums, Patch.of(3, 9, 3, 9), LocalBuffer.of(ones).startingAt(4).leading(12), Scalar.of(1));
            b.nbPut(puts, Patch.of(gas.rank(), gas.rank() + 1), LocalBuffer.of(rank));
            Handle.awaitAll(puts, sums);
            a.barrier();
            b.barrier();
            double[][] rows = new double[12][12];
            long[] firsts = new long[gas.rankCount()];
            Handle gets = gas.handle();
            for (int i = 0; i < rows.length; i++) {
                a.nbGet(gets, Patch.of(i, i + 1, 0, 12), LocalBuffer.of(rows[i]));
            }
            b.nbGet(gets, Patch.of(0, firsts.length), LocalBuffer.of(firsts));
            gets.await();
            for (int i = 0; i < rows.length; i++) {
                for (int j = 0; j < rows.length; j++) {
                    int once = i >= 3 && i < 9 && j >= 3 && j < 9 ? 3 : 2;
                    assertEquals((double) once * gas.rankCount(), rows[i][j]);
                }
            }
            for (int i = 0; i < firsts.length; i++) {
                assertEquals(i, firsts[i]);
            }
            b.close();
            a.close();
        });
    }

    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldPrintRowsAndPlanes(JobShape job) {
        job.run(gas -> {
            GlobalArray cube = GlobalArray.create(gas, "cube", ElementType.INT, 4, 3, 4);
            IntView.of(cube).map(Patch.whole(4, 3, 4), (value, index) -> number(index));
            GlobalArray line = GlobalArray.create(gas, "line", ElementType.COMPLEX_DOUBLE, 2);
            line.fill(Scalar.of(0.5, -2));
            GlobalArray wide = GlobalArray.create(gas, "wide", ElementType.FLOAT, 2, 70_000);
            wide.fill(1);
            if (gas.rank() == 3) {
                assertArrayEquals(new String[] {"array 'cube': INT [1, 3) x [1, 3) x [0, 4)",
                    "[1, *, *]", "        110         111         112         113",
                    "        120         121         122         123",
                    "[2, *, *]", "        210         211         212         213",
                    "        220         221         222         223"},
                    printed(cube, Patch.of(new long[] {1, 1, 0}, new long[] {3, 3, 4})));
                assertArrayEquals(new String[] {"array 'line': COMPLEX_DOUBLE [0, 2)",
                    " 5.000000e-01-2.000000e+00i  5.000000e-01-2.000000e+00i"}, printed(line, Patch.of(0, 2)));
                String[] lines = printed(wide, Patch.whole(2, 70_000));
                assertEquals(3, lines.length);
                assertTrue(lines[2].length() == 14 * 70_000 - 1 && lines[2].equals(lines[1]));
            }
            wide.barrier();
            wide.close();
            line.close();
            cube.close();
        });
    }

    private static String[] printed(GlobalArray array, Patch patch) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ArrayPrinter.print(array, patch, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8).split("\n");
    }
}
