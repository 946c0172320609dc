package org.tributary.client;

import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.nativeCopy;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Strided;
import org.tributary.testsupport.ToleratesErrors;

/** Strided and vector transfers against a serial model. */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class ShapedTest {
    private static final int SHAPES = 25;
    private static final long SIDE = 3 << 20;

    @EveryPath
    void shouldDoAsTheSerialModelWhenShapesHaveManyLevels(String layout) {
        compare(layout, 8, 48, 64 << 10);
    }

    @EveryPath
    void shouldDoAsTheSerialModelWhenBlocksAreLargerThanMessages(String layout) {
        compare(layout, 2, 150_000, SIDE);
    }

    private static void compare(String layout, int levels, long largestBlock, long side) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(side);
            int target = (gas.rank() + 1) % gas.rankCount();
            Random random = new Random(levels * 1000 + gas.rank());
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment offHeap = arena.allocate(side);
                for (int i = 0; i < SHAPES; i++) {
                    Shape shape = Shape.random(random, levels, 1, largestBlock, side);
                    MemorySegment heap = random(i, shape.local.extent);
                    MemorySegment buffer = i % 2 == 0 ? heap
                        : offHeap.asSlice(0, shape.local.extent).copyFrom(heap);
                    putAndCompare(memory, target, shape, buffer);
                    getAndCompare(memory, target, shape, buffer);
                }
            }
            gas.barrier();
        });
    }

    private static void putAndCompare(GlobalMemory memory, int target, Shape shape, MemorySegment source) {
        MemorySegment expected = random(-1, shape.remote.extent);
        memory.put(target, 0, expected);
        memory.putStrided(target, shape.remote.first, source, shape.local.first, shape.strided());
        shape.put(source, expected);
        MemorySegment actual = empty(shape.remote.extent);
        memory.get(target, 0, actual);
        assertSame(expected, actual, "put " + shape);
    }

    private static void getAndCompare(GlobalMemory memory, int target, Shape shape, MemorySegment buffer) {
        MemorySegment contents = random(-2, shape.remote.extent);
        memory.put(target, 0, contents);
        MemorySegment expected = empty(buffer.byteSize()).copyFrom(buffer);
        memory.getStrided(target, shape.remote.first, buffer, shape.local.first, shape.strided());
        shape.get(contents, expected);
        assertSame(expected, buffer, "get " + shape);
    }

    @EveryPath
    void shouldTransferRowsWhenPitchesDiffer(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(64 * 1024);
            int target = (gas.rank() + 1) % gas.rankCount();
            Strided rows = Strided.rows(512, 64, 700, 1024);
            MemorySegment source = random(gas.rank(), 63 * 700 + 512);
            memory.putStrided(target, 0, source, 0, rows);
            MemorySegment back = empty(source.byteSize());
            memory.getStrided(target, 0, back, 0, rows);
            for (int row = 0; row < 64; row++) {
                assertSame(source.asSlice(row * 700L, 512), back.asSlice(row * 700L, 512), "row " + row);
            }
            gas.barrier();
        });
    }

    @EveryPath
    void shouldTouchNothingWhenShapeIsEmpty(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(16);
            int target = (gas.rank() + 1) % gas.rankCount();
            memory.putLong(target, 0, 5);
            MemorySegment buffer = random(1, 16);
            Strided none = new Strided(8, new long[] {0}, new long[] {8}, new long[] {8});
            memory.putStrided(target, 0, buffer, 0, none);
            memory.getStrided(target, 0, buffer, 0, none);
            memory.putVector(target, buffer, Ranges.uniform(8, new long[0], new long[0]));
            memory.getVector(target, buffer, Ranges.uniform(0, new long[] {1}, new long[] {16}));
            assertSame(random(1, 16), buffer, "buffer");
            org.junit.jupiter.api.Assertions.assertEquals(5, memory.getLong(target, 0));
            gas.barrier();
        });
    }

    @EveryPath
    void shouldDoAsTheSerialModelWhenRangesAreListed(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(SIDE);
            int target = (gas.rank() + 1) % gas.rankCount();
            Random random = new Random(gas.rank());
            int[][] countsAndLengths = {{1, 1}, {3, 100_000}, {10, 200_000}, {700, 40}, {9_000, 12}, {40, 20_000}};
            try (Arena arena = Arena.ofConfined()) {
                for (int[] list : countsAndLengths) {
                    RangeList ranges = RangeList.random(random, list[0], list[1], 1);
                    putRanges(memory, target, ranges, random(list[0], ranges.extent));
                    getRanges(memory, target, ranges, nativeCopy(arena, random(list[1], ranges.extent)));
                }
            }
            gas.barrier();
        });
    }

    private static void putRanges(GlobalMemory memory, int target, RangeList ranges, MemorySegment source) {
        MemorySegment expected = random(-1, ranges.extent);
        memory.put(target, 0, expected);
        memory.putVector(target, source, ranges.ranges());
        ranges.forEach((local, remote, length) -> MemorySegment.copy(source, local, expected, remote, length));
        MemorySegment actual = empty(ranges.extent);
        memory.get(target, 0, actual);
        assertSame(expected, actual, "put " + ranges);
    }

    private static void getRanges(GlobalMemory memory, int target, RangeList ranges, MemorySegment buffer) {
        MemorySegment contents = random(-2, ranges.extent);
        memory.put(target, 0, contents);
        MemorySegment expected = empty(ranges.extent).copyFrom(buffer);
        memory.getVector(target, buffer, ranges.ranges());
        ranges.forEach((local, remote, length) -> MemorySegment.copy(contents, remote, expected, local, length));
        assertSame(expected, buffer, "get " + ranges);
    }
}
