package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.shape.ElementType;

/** Accumulates of every type in every shape; small whole numbers, so that sums are exact in any order. */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class AccumulateTest {
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final int ELEMENTS = 9_001;

    @EveryPath
    void shouldAddScaledSourceWhenShapesAndTypesVary(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(2 << 20);
            int target = (gas.rank() + 1) % gas.rankCount();
            Random random = new Random(gas.rank());
            for (ElementType type : ElementType.values()) {
                contiguous(memory, target, type, random);
                for (int i = 0; i < 5; i++) {
                    strided(memory, target, type, random);
                }
                vector(memory, target, type, random);
            }
            gas.barrier();
        });
    }

    private static void contiguous(GlobalMemory memory, int target, ElementType type, Random random) {
        long bytes = (long) ELEMENTS * type.sizeInBytes();
        MemorySegment source = numbers(type, bytes, random);
        MemorySegment expected = numbers(type, bytes, random);
        memory.put(target, 0, expected);
        memory.accumulate(target, 0, scale(type), source, 0, bytes);
        add(type, source, 0, expected, 0, bytes);
        compare(memory, target, expected, type + " contiguous");
    }

    private static void strided(GlobalMemory memory, int target, ElementType type, Random random) {
        Shape shape = Shape.random(random, 5, type.sizeInBytes(), 90_000, 400_000);
        MemorySegment source = numbers(type, shape.local.extent, random);
        MemorySegment expected = numbers(type, shape.remote.extent, random);
        memory.put(target, 0, expected);
        memory.accumulateStrided(target, shape.remote.first, scale(type), source, shape.local.first,
            shape.strided());
        shape.forEachBlock((at, remoteAt) -> add(type, source, at, expected, remoteAt, shape.block));
        compare(memory, target, expected, type + " " + shape);
    }

    private static void vector(GlobalMemory memory, int target, ElementType type, Random random) {
        RangeList ranges = RangeList.random(random, 60, 100 * type.sizeInBytes(), type.sizeInBytes());
        RangeList large = RangeList.random(random, 3, 10_000 * type.sizeInBytes(), type.sizeInBytes());
        for (RangeList list : new RangeList[] {ranges, large}) {
            MemorySegment source = numbers(type, list.extent, random);
            MemorySegment expected = numbers(type, list.extent, random);
            memory.put(target, 0, expected);
            memory.accumulateVector(target, scale(type), source, list.ranges());
            list.forEach((local, remote, length) -> add(type, source, local, expected, remote, length));
            compare(memory, target, expected, type + " " + list);
        }
    }

    private static void compare(GlobalMemory memory, int target, MemorySegment expected, String what) {
        MemorySegment actual = empty(expected.byteSize());
        memory.get(target, 0, actual);
        assertSame(expected, actual, what);
    }

    private static Scale scale(ElementType type) {
        return switch (type) {
            case INT -> Scale.ofInt(-3);
            case LONG -> Scale.ofLong(5);
            case FLOAT -> Scale.ofFloat(0.5f);
            case DOUBLE -> Scale.ofDouble(-2.5);
            case COMPLEX_FLOAT -> Scale.ofComplexFloat(2, -0.5f);
            case COMPLEX_DOUBLE -> Scale.ofComplexDouble(-1, 3);
        };
    }

    private static MemorySegment numbers(ElementType type, long bytes, Random random) {
        MemorySegment numbers = empty(bytes);
        for (long at = 0; at + type.componentBytes() <= bytes; at += type.componentBytes()) {
            int number = random.nextInt(2000) - 1000;
            switch (type) {
                case INT -> numbers.set(ValueLayout.JAVA_INT_UNALIGNED, at, number);
                case LONG -> numbers.set(ValueLayout.JAVA_LONG_UNALIGNED, at, number * 1_000_000_007L);
                case FLOAT, COMPLEX_FLOAT -> numbers.set(FLOAT, at, number);
                case DOUBLE, COMPLEX_DOUBLE -> numbers.set(DOUBLE, at, number);
            }
        }
        return numbers;
    }

    /** The model: {@code target += scale * source}, element by element. */
    private static void add(ElementType type, MemorySegment source, long from, MemorySegment target, long to,
        long bytes) {
        for (long at = 0; at < bytes; at += type.sizeInBytes()) {
            addOne(type, source, from + at, target, to + at);
        }
    }

    private static void addOne(ElementType type, MemorySegment source, long from, MemorySegment target, long to) {
        switch (type) {
            case INT -> target.set(ValueLayout.JAVA_INT_UNALIGNED, to, target.get(ValueLayout.JAVA_INT_UNALIGNED, to)
                - 3 * source.get(ValueLayout.JAVA_INT_UNALIGNED, from));
            case LONG -> target.set(ValueLayout.JAVA_LONG_UNALIGNED, to,
                target.get(ValueLayout.JAVA_LONG_UNALIGNED, to)
                    + 5 * source.get(ValueLayout.JAVA_LONG_UNALIGNED, from));
            case FLOAT -> target.set(FLOAT, to, target.get(FLOAT, to) + 0.5f * source.get(FLOAT, from));
            case DOUBLE -> target.set(DOUBLE, to, target.get(DOUBLE, to) - 2.5 * source.get(DOUBLE, from));
            case COMPLEX_FLOAT -> {
                float re = source.get(FLOAT, from);
                float im = source.get(FLOAT, from + 4);
                target.set(FLOAT, to, target.get(FLOAT, to) + (2 * re + 0.5f * im));
                target.set(FLOAT, to + 4, target.get(FLOAT, to + 4) + (2 * im - 0.5f * re));
            }
            case COMPLEX_DOUBLE -> {
                double re = source.get(DOUBLE, from);
                double im = source.get(DOUBLE, from + 8);
                target.set(DOUBLE, to, target.get(DOUBLE, to) + (-re - 3 * im));
                target.set(DOUBLE, to + 8, target.get(DOUBLE, to + 8) + (3 * re - im));
            }
        }
    }

    @EveryPath
    void shouldAddWhenTheStrideOfASingleRowIsNotAligned(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(32);
            long[] counts = {2, 1};
            Strided shape = new Strided(8, counts, new long[] {8, 0}, new long[] {16, 3});
            int target = (gas.rank() + 1) % gas.rankCount();
            MemorySegment source = MemorySegment.ofArray(new double[] {1, 2});
            memory.accumulateStrided(target, 8, Scale.ofDouble(2), source, 0, shape);
            gas.barrier();
            assertArrayEquals(new double[] {0, 2, 0, 4}, memory.local().toArray(DOUBLE));
            gas.barrier();
        });
    }

    @EveryPath
    void shouldLoseNothingWhenManyRanksAccumulateOnOneTarget(String layout) {
        Jobs.run(layout, gas -> {
            int count = 2_500;
            int rounds = 20;
            GlobalMemory memory = gas.allocate(count * 16L);
            double[] ones = new double[2 * count];
            java.util.Arrays.fill(ones, 1);
            MemorySegment source = MemorySegment.ofArray(ones);
            Strided everySecond = Strided.rows(8, count, 16, 16);
            long[] offsets = {0, 8L * count};
            Ranges halves = Ranges.uniform(8 * count, offsets, offsets);
            Handle handle = gas.handle();
            for (int round = 0; round < rounds; round++) {
                for (int target = 0; target < gas.rankCount(); target += gas.rankCount() - 1) {
                    memory.accumulate(target, 0, Scale.ofDouble(1), source, 0, 16L * count);
                    memory.accumulateStrided(target, 0, Scale.ofDouble(2), source, 0, everySecond);
                    memory.nbAccumulateVector(handle, target, Scale.ofDouble(4), source, halves);
                    memory.nbAccumulate(handle, target, 8, Scale.ofDouble(8), source, 0, 8);
                }
            }
            handle.await();
            gas.barrier();
            if (gas.rank() == 0 || gas.rank() == gas.rankCount() - 1) {
                for (int i = 0; i < 2 * count; i++) {
                    double each = 1 + 4 + (i % 2 == 0 ? 2 : 0) + (i == 1 ? 8 : 0);
                    assertEquals(each * rounds * gas.rankCount(), memory.local().getAtIndex(DOUBLE, i), "element " + i);
                }
            }
            gas.barrier();
        });
    }
}
