package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.wire.shape.ElementType;

/** Bad arguments: refused with names and numbers, before anything moves. */
class RefusalTest {
    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldNameArrayDimensionAndBounds(JobShape job) {
        job.run(gas -> {
            GlobalArray array = GlobalArray.create(gas, "density", ElementType.DOUBLE, 10, 20);
            ArrayBoundsException patch = assertThrows(ArrayBoundsException.class,
                () -> array.put(Patch.of(0, 2, 15, 21), new double[12]));
            assertEquals("array 'density', dimension 1: range [15, 21) lies outside [0, 20)", patch.getMessage());
            assertEquals("density", patch.array());
            assertEquals(1, patch.dimension());
            assertEquals(15, patch.lo());
            assertEquals(21, patch.hi());
            assertEquals(20, patch.limit());
            assertEquals("array 'density', dimension 0: index -1 lies outside [0, 10)",
                assertThrows(ArrayBoundsException.class, () -> array.get(-1, 0)).getMessage());
            assertThrows(ArrayBoundsException.class, () -> array.locate(0, 20));
            assertThrows(ArrayBoundsException.class,
                () -> array.scatter(LocalBuffer.of(new double[2]), 0, 0, 3, 20));
            array.close();
        });
    }

    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldExplainWhatDoesNotFit(JobShape job) {
        job.run(gas -> {
            GlobalArray array = GlobalArray.create(gas, "A", ElementType.DOUBLE, 10, 20);
            Patch patch = Patch.of(0, 2, 0, 6);
            misfit("needs bytes 0 to 96 of the local buffer, which has 88", () -> array.get(patch, new double[11]));
            misfit("need a double[] buffer, not a long[]", () -> array.get(patch, new long[12]));
            misfit("leading dimension 5 of the local buffer is less than the 6 elements",
                () -> array.get(patch, LocalBuffer.of(new double[12]).leading(5)));
            misfit("one fewer are needed", () -> array.get(patch, LocalBuffer.of(new double[12]).leading(6, 6)));
            misfit("it has 2 dimensions, the argument 1", () -> array.get(Patch.of(0, 3), new double[3]));
            misfit("3 index entries are no whole number of indices of 2 dimensions",
                () -> array.gather(LocalBuffer.of(new double[2]), 1, 2, 3));
            misfit("2 elements of type DOUBLE need bytes 0 to 16 of the local buffer, which has 8",
                () -> array.gather(LocalBuffer.of(new double[1]), 1, 2, 3, 4));
            misfit("needs more bytes than can be counted, from element 9223372036854775807 on, and the local buffer"
                + " has 96", () -> array.get(patch, LocalBuffer.of(new double[12]).startingAt(Long.MAX_VALUE)));
            misfit("needs more bytes than can be counted, from element 9223372036854775807 on",
                () -> array.gather(LocalBuffer.of(new double[2]).startingAt(Long.MAX_VALUE), 1, 2, 3, 4));
            misfit("needs more bytes than can be counted, with leading dimensions [4611686018427387904]",
                () -> array.put(patch, LocalBuffer.of(new double[12]).leading(1L << 62)));
            misfit("needs elements of type INT or LONG, not DOUBLE", () -> array.readIncrement(1, 0, 0));
            misfit("cannot hold the number 1.0+2.0i", () -> array.set(Scalar.of(1, 2), 0, 0));
            array.close();
        });
    }

    private static void misfit(String message, Runnable operation) {
        String actual = assertThrows(ArrayShapeException.class, operation::run).getMessage();
        assertTrue(actual.startsWith("array 'A': ") && actual.contains(message), actual);
    }

    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldRefuseWhatCannotBeCreatedAndCombined(JobShape job) {
        job.run(gas -> {
            refuse(gas, "5 blocks for 4 ranks", GlobalArray.builder(gas, "A", ElementType.INT, 9)
                .blocks(new long[] {0, 1, 2, 3, 4}));
            refuse(gas, "ghost width 10", GlobalArray.builder(gas, "A", ElementType.INT, 9).ghosts(10));
            refuse(gas, "2 ghost widths for 1 dimensions", GlobalArray.builder(gas, "A", ElementType.INT, 9)
                .ghosts(1, 1));
            refuse(gas, "do not go with given blocks", GlobalArray.builder(gas, "A", ElementType.INT, 9)
                .minimumChunks(2).blocks(new long[] {0}));
            refuse(gas, "more than a rank can hold",
                GlobalArray.builder(gas, "A", ElementType.INT, 1L << 32, 1L << 32));
            GlobalArray a = GlobalArray.create(gas, "A", ElementType.INT, 9);
            GlobalArray b = GlobalArray.create(gas, "B", ElementType.INT, 8);
            GlobalArray c = GlobalArray.create(gas, "C", ElementType.LONG, 9);
            misfit("its shape is [0, 9), that of array 'B' is [0, 8)", () -> a.dot(b));
            misfit("of type INT, those of array 'C' of type LONG", () -> a.add(1, a, 1, c));
            misfit("cannot hold the number 0.5", () -> a.fill(0.5));
            misfit("cannot hold the number 4294967296", () -> a.fill(1L << 32));
            c.close();
            b.close();
            a.close();
            assertTrue(assertThrows(ArrayClosedException.class, () -> a.get(0)).getMessage()
                .contains("array 'A' is closed"));
            a.close();
        });
    }

    /** It knows of no member at all, so no number of ranks that an array could be spread over. */
    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldSayWhoCreatesItWhenTheRankIsNoMember(JobShape job) {
        job.run(gas -> {
            try (Group even = gas.world().split(gas.rank() % 2 == 0 ? 0 : -1, 0)) {
                for (GlobalArrayBuilder builder : List.of(
                    GlobalArray.builder(gas, "A", ElementType.INT, 9).group(even),
                    GlobalArray.builder(gas, "A", ElementType.DOUBLE, 10, 10).group(even),
                    GlobalArray.builder(gas, "A", ElementType.INT, 9).blocks(new long[] {0, 3}).group(even))) {
                    if (even.isMember()) {
                        builder.create().close();
                    } else {
                        refuse(gas, "array 'A': only members of its group create it, and rank " + gas.rank()
                            + " is none", builder);
                    }
                }
            }
        });
    }

    private static void refuse(Gas gas, String message, GlobalArrayBuilder builder) {
        String actual = assertThrows(ArrayShapeException.class, builder::create).getMessage();
        assertTrue(actual.contains(message), () -> "rank " + gas.rank() + ": " + actual);
    }
}
