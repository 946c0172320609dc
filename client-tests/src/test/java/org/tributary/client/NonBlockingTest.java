package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.remote.Handle;
import org.tributary.client.segment.NewSegment;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;

class NonBlockingTest {
    /** As if a member had freed what another one still reads, which no program can. */
    @Test
    void shouldWaitForAllHandlesWhenTheFirstHasFailed() {
        int bytes = 2_000_000;
        Jobs.run("2*1", gas -> {
            GlobalMemory lost = gas.allocate(8);
            GlobalMemory memory = gas.allocate(bytes);
            memory.local().copyFrom(random(gas.rank(), bytes));
            gas.barrier();
            if (gas.rank() == 1) {
                NewSegment.free(gas.access(), lost.id());
            }
            gas.barrier();
            if (gas.rank() == 0) {
                Handle[] handles = {gas.handle(), gas.handle()};
                MemorySegment back = empty(bytes);
                lost.nbGet(handles[0], 1, 0, empty(8), 0, 8);
                memory.nbGet(handles[1], 1, 0, back, 0, bytes);
                assertThrows(InvalidAddressException.class, () -> Handle.awaitAll(handles));
                assertSame(random(1, bytes), back, "of the other handle");
            }
            gas.barrier();
        });
    }

    @EveryPath
    void shouldCompleteEverythingWhenHandleIsAwaited(String layout) {
        Jobs.run(layout, gas -> {
            int bytes = 300_000;
            GlobalMemory memory = gas.allocate((long) bytes * gas.rankCount());
            Handle handle = gas.handle();
            assertFalse(handle.isAggregate());
            try (Arena arena = Arena.ofShared()) {
                for (int round = 0; round < 3; round++) { // a handle is used again as soon as it was awaited
                    MemorySegment source = random(gas.rank() + round, bytes);
                    for (int target = 0; target < gas.rankCount(); target++) {
                        memory.nbPut(handle, target, (long) bytes * gas.rank(), source, 0, bytes);
                    }
                    MemorySegment back = arena.allocate((long) bytes * gas.rankCount());
                    for (int target = 0; target < gas.rankCount(); target++) {
                        memory.nbGet(handle, target, (long) bytes * gas.rank(), back, (long) bytes * target, bytes);
                    }
                    handle.await();
                    assertTrue(handle.test());
                    for (int target = 0; target < gas.rankCount(); target++) {
                        assertSame(source, back.asSlice((long) bytes * target, bytes), "rank " + target);
                    }
                }
            }
            gas.barrier();
        });
    }

    @EveryPath
    void shouldBecomeDoneWhenTestedOften(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(1 << 20);
            int target = (gas.rank() + 1) % gas.rankCount();
            memory.put(target, 0, random(gas.rank(), 1 << 20));
            Handle[] handles = {gas.handle(), gas.aggregateHandle(), gas.handle()};
            MemorySegment[] buffers = {empty(1 << 20), empty(5000), empty(8)};
            for (int i = 0; i < handles.length; i++) {
                memory.nbGet(handles[i], target, 0, buffers[i], 0, buffers[i].byteSize());
            }
            while (!(handles[0].test() && handles[1].test() && handles[2].test())) {
                Thread.onSpinWait();
            }
            for (MemorySegment buffer : buffers) {
                assertSame(random(gas.rank(), 1 << 20).asSlice(0, buffer.byteSize()), buffer, "" + buffer.byteSize());
            }
            gas.barrier();
        });
    }

    @EveryPath
    void shouldCompleteShapesWhenAllHandlesAreAwaited(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(64 * 1024);
            int target = (gas.rank() + 1) % gas.rankCount();
            Handle[] handles = {gas.handle(), gas.aggregateHandle()};
            Strided rows = Strided.rows(128, 100, 128, 512);
            Ranges ranges = Ranges.uniform(64, new long[] {0, 64}, new long[] {60_000, 200});
            MemorySegment source = random(gas.rank(), 12_800);
            MemorySegment fromRows = empty(12_800);
            MemorySegment fromRanges = empty(128);
            for (Handle handle : handles) {
                memory.nbPutStrided(handle, target, 0, source, 0, rows);
                memory.nbPutVector(handle, target, source, ranges);
                memory.nbGetStrided(handle, target, 0, fromRows, 0, rows);
                memory.nbGetVector(handle, target, fromRanges, ranges);
                memory.nbAccumulateStrided(handle, target, 0, Scale.ofInt(0), source, 0, rows);
                memory.nbAccumulateVector(handle, target, Scale.ofInt(0), source, ranges);
            }
            Handle.awaitAll(handles);
            assertSame(source, fromRows, "rows");
            assertSame(source.asSlice(0, 128), fromRanges, "ranges");
            gas.barrier();
        });
    }

    @EveryPath
    void shouldCompleteEverythingWhenAllIsAwaited(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(8L * gas.rankCount());
            memory.local().fill((byte) gas.rank());
            gas.barrier();
            MemorySegment[] buffers = new MemorySegment[gas.rankCount()];
            for (int target = 0; target < buffers.length; target++) {
                buffers[target] = empty(8);
                memory.nbGet(target % 2 == 0 ? gas.handle() : gas.aggregateHandle(), target, 0, buffers[target], 0, 8);
            }
            gas.waitAll();
            for (int target = 0; target < buffers.length; target++) {
                assertSame(empty(8).fill((byte) target), buffers[target], "rank " + target);
            }
            gas.barrier();
        });
    }

    @EveryPath
    void shouldArriveWhenThousandsAreAggregated(String layout) {
        Jobs.run(layout, gas -> {
            int count = 5_000;
            GlobalMemory memory = gas.allocate(8L * count * gas.rankCount() + 8);
            Handle handle = gas.aggregateHandle();
            assertTrue(handle.isAggregate());
            long[] word = new long[1];
            MemorySegment source = MemorySegment.ofArray(word);
            for (int i = 0; i < count; i++) {
                for (int target = 0; target < gas.rankCount(); target++) {
                    word[0] = i * 31L + target;
                    memory.nbPut(handle, target, 8L * count * gas.rank() + 8L * (i * 7 % count), source, 0, 8);
                    word[0] = 1;
                    memory.nbAccumulate(handle, target, 8L * count * gas.rankCount(), Scale.ofLong(2), source, 0, 8);
                }
            }
            handle.await();
            gas.barrier();
            long[] mine = memory.local().toArray(java.lang.foreign.ValueLayout.JAVA_LONG);
            for (int requester = 0; requester < gas.rankCount(); requester++) {
                for (int i = 0; i < count; i++) {
                    assertEquals(i * 31L + gas.rank(), mine[count * requester + i * 7 % count]);
                }
            }
            assertEquals(2L * count * gas.rankCount(), mine[mine.length - 1]);
            gas.barrier();
        });
    }
}
