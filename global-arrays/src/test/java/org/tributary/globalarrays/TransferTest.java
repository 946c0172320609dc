package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.Gas;
import org.tributary.client.remote.Handle;
import org.tributary.globalarrays.distribution.Indices;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.kernel.Complex;
import org.tributary.globalarrays.kernel.Numbers;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.shape.ElementType;

/** Moving patches and elements, against a serial model. */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class TransferTest {
    private static final long[][] SHAPES = {{67}, {13, 11}, {5, 6, 7}, {3, 4, 3, 4}, {2, 3, 2, 3, 2, 2, 3}, {2}};
    private static final int STEPS = 24;

    /** Ranks take turns at random operations on random patches; then everyone compares every element. */
    @ParameterizedTest
    @EnumSource
    void shouldMovePatchesOfAnyShapeAndType(JobShape job) {
        job.run(gas -> {
            for (ElementType type : ElementType.values()) {
                for (long[] dims : SHAPES) {
                    int[] ghosts = new int[dims.length];
                    ghosts[0] = dims.length % 2;
                    GlobalArray array = GlobalArray.builder(gas, type + Arrays.toString(dims), type, dims)
                        .ghosts(ghosts).create();
                    randomSteps(gas, array);
                    array.close();
                }
            }
        });
    }

    private static void randomSteps(Gas gas, GlobalArray array) {
        SerialModel model = SerialModel.filled(array, 5);
        Random random = new Random(Arrays.hashCode(array.dims()));
        for (int step = 0; step < STEPS; step++) {
            Patch patch = Indices.randomPatch(array.dims(), random);
            MemorySegment data = Numbers.random(array.type(), (int) patch.elementCount(), random);
            int kind = random.nextInt(4);
            boolean mine = step % gas.rankCount() == gas.rank();
            switch (kind) {
                case 0 -> {
                    if (mine) {
                        array.put(patch, LocalBuffer.of(data));
                    }
                    model.update(patch, data, new Complex(1, 0), false);
                }
                case 1 -> {
                    if (mine) {
                        array.accumulate(patch, LocalBuffer.of(data), Scalar.of(3));
                    }
                    model.update(patch, data, new Complex(3, 0), true);
                }
                case 2 -> {
                    if (mine) {
                        Handle handle = gas.handle();
                        array.nbAccumulate(handle, patch, LocalBuffer.of(data), Scalar.of(-1));
                        handle.await();
                    }
                    model.update(patch, data, new Complex(-1, 0), true);
                }
                default -> readPatch(gas, array, model, patch);
            }
            array.barrier();
        }
        model.verify(array);
    }

    private static void readPatch(Gas gas, GlobalArray array, SerialModel model, Patch patch) {
        MemorySegment data = Numbers.random(array.type(), (int) patch.elementCount(), new Random(1));
        Handle handle = gas.handle();
        array.nbGet(handle, patch, LocalBuffer.of(data));
        handle.await();
        assertEquals(-1, data.mismatch(model.dense(patch)));
    }

    /** A patch as part of a larger local array: what lies around it stays. */
    @ParameterizedTest
    @EnumSource
    void shouldHonourLeadingDimensions(JobShape job) {
        job.run(gas -> {
            GlobalArray array = GlobalArray.create(gas, "A", ElementType.LONG, 9, 8, 7);
            SerialModel model = SerialModel.filled(array, 3);
            Patch patch = Patch.of(new long[] {2, 1, 3}, new long[] {7, 8, 6});
            long[] local = new long[6 * 9 * 5];
            Arrays.fill(local, 99);
            array.get(patch, LocalBuffer.of(local).startingAt(4).leading(9, 5));
            for (int i = 0; i < local.length; i++) {
                int x = (i - 4) / 45;
                int y = (i - 4) % 45 / 5;
                int z = (i - 4) % 5;
                boolean inside = i >= 4 && x < 5 && y < 7 && z < 3;
                assertEquals(inside ? model.get(2 + x, 1 + y, 3 + z).re() : 99.0, local[i]);
            }
            array.barrier();
            if (gas.rank() == gas.rankCount() - 1) {
                array.put(patch.shift(2, 0, 1), LocalBuffer.of(local).startingAt(4).leading(9, 5));
            }
            model.update(patch.shift(2, 0, 1), model.dense(patch), new Complex(1, 0), false);
            array.barrier();
            model.verify(array);
            array.close();
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldScatterGatherAndAddElements(JobShape job) {
        job.run(gas -> {
            for (ElementType type : ElementType.values()) {
                GlobalArray array = GlobalArray.create(gas, "A", type, 17, 19);
                SerialModel model = SerialModel.filled(array, 4);
                Random random = new Random(8);
                long[] indices = new long[2 * 50];
                for (int i = 0; i < indices.length; i += 2) {
                    indices[i] = i % 17;
                    indices[i + 1] = (i * 7L + i / 34) % 19;
                }
                MemorySegment values = Numbers.random(type, 50, random);
                if (gas.rank() == 0) {
                    array.scatter(LocalBuffer.of(values), indices);
                }
                array.barrier();
                array.scatterAccumulate(LocalBuffer.of(values), Scalar.of(2), indices);
                array.barrier();
                for (int i = 0; i < 50; i++) {
                    Complex value = Numbers.get(type, values, i);
                    model.set(value.plus(value.times(new Complex(2.0 * gas.rankCount(), 0))), indices[2 * i],
                        indices[2 * i + 1]);
                }
                model.verify(array);
                MemorySegment read = Numbers.random(type, 50, random);
                array.gather(LocalBuffer.of(read), indices);
                for (int i = 0; i < 50; i++) {
                    assertEquals(model.get(indices[2 * i], indices[2 * i + 1]), Numbers.get(type, read, i));
                }
                array.close();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadAndWriteSingleElements(JobShape job) {
        job.run(gas -> {
            for (ElementType type : ElementType.values()) {
                GlobalArray array = GlobalArray.create(gas, "A", type, 6, 5);
                SerialModel model = SerialModel.filled(array, 6);
                if (gas.rank() == 0) {
                    array.set(-4, 5, 4);
                    array.set(2.0, 0, 1);
                }
                model.set(new Complex(-4, 0), 5, 4);
                model.set(new Complex(2, 0), 0, 1);
                array.barrier();
                Indices.forEach(model.whole(), index -> {
                    Scalar value = array.get(index);
                    assertEquals(model.get(index), new Complex(value.re(), value.im()));
                });
                array.barrier();
                model.verify(array);
                array.close();
            }
        });
    }

    /** Every value of the counter is drawn exactly once. */
    @ParameterizedTest
    @EnumSource
    void shouldDrawEachTaskOnce(JobShape job) {
        int draws = 200;
        for (ElementType type : new ElementType[] {ElementType.INT, ElementType.LONG}) {
            job.run(gas -> {
                GlobalArray counter = GlobalArray.create(gas, "counter", type, 2);
                GlobalArray drawn = GlobalArray.create(gas, "drawn", ElementType.LONG,
                    3L * draws * gas.rankCount());
                counter.zero();
                drawn.zero();
                for (int i = 0; i < draws; i++) {
                    long task = counter.readIncrement(3, 1);
                    drawn.accumulate(Patch.of(task, task + 1), new long[] {1}, 1);
                }
                drawn.barrier();
                long[] all = new long[3 * draws * gas.rankCount()];
                drawn.get(Patch.whole(all.length), all);
                for (int i = 0; i < all.length; i++) {
                    assertEquals(i % 3 == 0 ? 1 : 0, all[i]);
                }
                assertEquals(3L * draws * gas.rankCount(), counter.get(1).asLong());
                assertEquals(0, counter.get(0).asLong());
                drawn.close();
                counter.close();
            });
        }
    }

    /** Everyone adds to the same section, which spans all owners, at the same time. */
    @ParameterizedTest
    @EnumSource
    void shouldLoseNoConcurrentAccumulate(JobShape job) {
        job.run(gas -> {
            GlobalArray array = GlobalArray.create(gas, "A", ElementType.DOUBLE, 40, 40);
            array.zero();
            double[] ones = new double[30 * 30];
            Arrays.fill(ones, 1);
            for (int i = 0; i < 50; i++) {
                array.accumulate(Patch.of(5, 35, 5, 35), ones, 0.5);
            }
            array.barrier();
            double[] all = new double[40 * 40];
            array.get(Patch.whole(40, 40), all);
            for (int i = 0; i < all.length; i++) {
                boolean inside = i / 40 >= 5 && i / 40 < 35 && i % 40 >= 5 && i % 40 < 35;
                assertEquals(inside ? 25.0 * gas.rankCount() : 0, all[i]);
            }
            array.close();
        });
    }
}
