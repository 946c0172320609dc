package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.globalarrays.distribution.Indices;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.distribution.Piece;
import org.tributary.globalarrays.kernel.Complex;
import org.tributary.wire.shape.ElementType;

/** Operations on whole arrays, alike and differently distributed. */
class CollectiveTest {
    /** Same shape, other blocks: 9 x 10 cut at odd places, with ghost cells. */
    private static GlobalArray unlike(Gas gas, ElementType type) {
        return GlobalArray.builder(gas, "unlike", type, 9, 10).blocks(new long[] {0, 2}, new long[] {0})
            .ghosts(1, 2).create();
    }

    @ParameterizedTest
    @EnumSource
    void shouldFillScaleAndZero(JobShape job) {
        job.run(gas -> {
            for (ElementType type : ElementType.values()) {
                GlobalArray array = unlike(gas, type);
                SerialModel model = new SerialModel(type, 9, 10);
                array.fill(7);
                array.scale(-3.0);
                Indices.forEach(model.whole(), index -> model.set(new Complex(-21, 0), index));
                model.verify(array);
                array.zero();
                Indices.forEach(model.whole(), index -> model.set(new Complex(0, 0), index));
                model.verify(array);
                array.close();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldAddDotAndCopyWhateverTheBlocks(JobShape job) {
        job.run(gas -> {
            for (ElementType type : ElementType.values()) {
                GlobalArray a = GlobalArray.create(gas, "A", type, 9, 10);
                GlobalArray b = unlike(gas, type);
                SerialModel modelA = SerialModel.filled(a, 1);
                SerialModel modelB = SerialModel.filled(b, 2);
                Complex dot = new Complex(0, 0);
                for (long k = 0; k < 90; k++) {
                    long[] index = Indices.at(modelA.whole(), k);
                    dot = dot.plus(modelA.get(index).times(modelB.get(index)));
                }
                Scalar actual = a.dot(b);
                assertEquals(dot, new Complex(actual.re(), actual.im()));
                assertEquals(a.dot(b), b.dot(a));

                GlobalArray c = a.duplicate("C");
                assertTrue(c.distribution().sameBlocks(a.distribution()));
                c.add(2, a, -3, b);
                SerialModel modelC = new SerialModel(type, 9, 10);
                Indices.forEach(modelC.whole(), index -> modelC.set(modelA.get(index).times(new Complex(2, 0))
                    .plus(modelB.get(index).times(new Complex(-3, 0))), index));
                modelC.verify(c);

                c.copyTo(b);
                modelC.verify(b);
                modelA.verify(a);
                c.add(1, b, 1, c);
                Indices.forEach(modelC.whole(), index ->
                    modelC.set(modelC.get(index).times(new Complex(2, 0)), index));
                modelC.verify(c);
                c.close();
                b.close();
                a.close();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindOwners(JobShape job) {
        job.run(gas -> {
            GlobalArray array = unlike(gas, ElementType.INT);
            assertEquals(0, array.locate(1, 9));
            assertEquals(1, array.locate(2, 0));
            assertEquals(List.of(new Piece(0, Patch.of(1, 2, 3, 5)), new Piece(1, Patch.of(2, 4, 3, 5))),
                array.locateRegion(Patch.of(1, 4, 3, 5)));
            assertEquals(Patch.of(2, 9, 0, 10), array.distribution(1));
            assertTrue(array.distribution(2).isEmpty());
            assertEquals(gas.rank() < 2 ? array.distribution(gas.rank()) : Patch.of(0, 0, 0, 0),
                array.access().patch());
            array.close();
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldSeeBlocksOfTheNodeAsMemory(JobShape job) {
        job.run(gas -> {
            GlobalArray array = GlobalArray.create(gas, "A", ElementType.LONG, 12, 5);
            SerialModel model = SerialModel.filled(array, 9);
            for (int rank = 0; rank < gas.rankCount(); rank++) {
                assertEquals(gas.sameNode(rank), array.isAccessible(rank));
                if (gas.sameNode(rank)) {
                    Block block = array.access(rank);
                    assertEquals(array.distribution(rank), block.patch());
                    Indices.forEach(block.patch(), index -> assertEquals(model.get(index).re(),
                        block.segment().get(ValueLayout.JAVA_LONG, block.offset(index))));
                } else {
                    int other = rank;
                    assertThrows(ArrayShapeException.class, () -> array.access(other));
                }
            }
            array.close();
        });
    }

    /** The array lives on the group only, in the group's order. */
    @ParameterizedTest
    @EnumSource
    void shouldLiveOnAGroup(JobShape job) {
        job.run(gas -> {
            int last = gas.rankCount() - 1;
            Group group = gas.world().create(last, 0);
            if (group.rank() >= 0) {
                GlobalArray array = GlobalArray.builder(gas, "A", ElementType.DOUBLE, 8, 3).group(group)
                    .minimumChunks(1, 3).create();
                assertEquals(last, array.locate(0, 0));
                assertEquals(0, array.locate(7, 2));
                SerialModel model = SerialModel.filled(array, 4);
                array.scale(2);
                Indices.forEach(model.whole(), index ->
                    model.set(model.get(index).times(new Complex(2, 0)), index));
                model.verify(array);
                if (last > 1) {
                    assertTrue(array.distribution(1).isEmpty());
                    assertThrows(ArrayShapeException.class, () -> array.access(1));
                }
                array.close();
            }
            gas.barrier();
        });
    }
}
