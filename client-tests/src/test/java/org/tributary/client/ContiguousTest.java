package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.nativeCopy;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.client.testing.TestJob;

class ContiguousTest {
    private static final int KIB = 1024;
    /** Around the sizes at which payload begins to travel differently, and beyond one message (64 KiB here). */
    private static final int[] SIZES = {0, 1, 7, 8, 9, 511, 4096, 16 * KIB - 1, 16 * KIB, 16 * KIB + 1, 32 * KIB - 1,
        32 * KIB, 32 * KIB + 1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 200_003};
    private static final int GUARD = 13;

    @EveryPath
    void shouldGetWhatWasPutWhenSizesAndBuffersVary(String layout) {
        Jobs.run(layout, gas -> {
            long slot = SIZES[SIZES.length - 1] + 2 * GUARD;
            GlobalMemory memory = gas.allocate(slot * gas.rankCount());
            try (Arena arena = Arena.ofShared()) {
                for (int target = 0; target < gas.rankCount(); target++) {
                    for (int size : SIZES) {
                        roundTrip(gas, memory, target, slot * gas.rank(), random(size + gas.rank(), size));
                        roundTrip(gas, memory, target, slot * gas.rank(),
                            nativeCopy(arena, random(size - gas.rank(), size)));
                    }
                }
            }
            gas.barrier();
            int last = SIZES[SIZES.length - 1];
            for (int requester = 0; requester < gas.rankCount(); requester++) {
                assertSame(random(last - requester, last), memory.local().asSlice(slot * requester + GUARD, last),
                    "what rank " + requester + " put last");
            }
        });
    }

    private static void roundTrip(Gas gas, GlobalMemory memory, int target, long base, MemorySegment data) {
        long size = data.byteSize();
        MemorySegment guarded = random(99, size + 2 * GUARD);
        memory.put(target, base, guarded);
        MemorySegment.copy(data, 0, guarded, GUARD, size);
        memory.put(target, base + GUARD, data.asReadOnly());
        MemorySegment heap = empty(size + 2 * GUARD);
        memory.get(target, base, heap);
        assertSame(guarded, heap, size + " bytes to rank " + target + " in a heap buffer");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment off = arena.allocate(size + 2 * GUARD + 1);
            memory.get(target, base, off, 1, size + 2 * GUARD);
            assertSame(guarded, off.asSlice(1), size + " bytes to rank " + target + " in a native buffer");
            assertEquals(0, off.get(ValueLayout.JAVA_BYTE, 0));
        }
        gas.fence(target);
    }

    @EveryPath
    void shouldTransferOnlyTheRangeWhenBuffersHaveOffsets(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(64);
            int right = (gas.rank() + 1) % gas.rankCount();
            MemorySegment source = random(gas.rank(), 100);
            memory.put(right, 10, source, 40, 20);
            MemorySegment target = random(-1, 100);
            MemorySegment expected = random(-1, 100);
            MemorySegment.copy(source, 40, expected, 3, 20);
            memory.get(right, 10, target, 3, 20);
            assertSame(expected, target, "buffer of rank " + gas.rank());
            gas.barrier();
        });
    }

    @EveryPath
    void shouldTransferMegabytesWhenMessagesAreOfDefaultSize(String layout) {
        try (var job = TestJob.start(layout)) {
            job.run(gas -> {
                int bytes = (4 << 20) + 5;
                GlobalMemory memory = gas.allocate(bytes);
                int target = gas.rankCount() - 1 - gas.rank();
                MemorySegment source = random(gas.rank(), bytes);
                try (Arena arena = Arena.ofConfined()) {
                    memory.put(target, 0, nativeCopy(arena, source));
                    MemorySegment back = arena.allocate(bytes);
                    memory.get(target, 0, back);
                    assertSame(source, back, "native");
                }
                MemorySegment inverse = random(~gas.rank(), bytes);
                memory.put(target, 0, inverse);
                MemorySegment back = empty(bytes);
                memory.get(target, 0, back);
                assertSame(inverse, back, "heap");
                gas.barrier();
            });
        }
    }

    @EveryPath
    void shouldKeepValuesWhenPutOneByOne(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(64);
            int target = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
            memory.putInt(target, 1, Integer.MIN_VALUE + gas.rank());
            memory.putLong(target, 5, Long.MAX_VALUE - gas.rank());
            memory.putFloat(target, 13, Float.MIN_VALUE);
            memory.putDouble(target, 17, -Math.PI * (gas.rank() + 1));
            assertEquals(Integer.MIN_VALUE + gas.rank(), memory.getInt(target, 1));
            assertEquals(Long.MAX_VALUE - gas.rank(), memory.getLong(target, 5));
            assertEquals(Float.MIN_VALUE, memory.getFloat(target, 13));
            assertEquals(-Math.PI * (gas.rank() + 1), memory.getDouble(target, 17));
            gas.barrier();
            int requester = (gas.rank() + 1) % gas.rankCount();
            assertEquals(-Math.PI * (requester + 1), memory.local().get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 17));
        });
    }
}
