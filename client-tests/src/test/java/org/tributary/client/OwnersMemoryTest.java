package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.client.connection.OwnersMemory;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Strided;
import org.tributary.testsupport.TestedProviders;

/** Answers that go to memory of one thread, while others read what comes. */
class OwnersMemoryTest {
    private static final int BYTES = 1 << 20;
    private static final int ROUNDS = 60;

    static Stream<String> layouts() {
        return Stream.concat(Stream.of("1,1", "2*2 combine", "1,1 encrypted"),
            TestedProviders.names().map(provider -> "1,1 " + provider));
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void shouldGetIntoMemoryOfOneThreadWhenOthersWait(String layout) {
        Jobs.run(layout, gas -> {
            int other = gas.rankCount() - 1;
            GlobalMemory memory = gas.allocate(BYTES + Long.BYTES);
            memory.put(gas.rank(), 0, random(gas.rank(), BYTES));
            gas.barrier();
            if (gas.rank() == 0) {
                AtomicBoolean isOver = new AtomicBoolean();
                FutureTask<Long> adder = new FutureTask<>(() -> {
                    long count = 0;
                    while (!isOver.get()) {
                        assertEquals(count, memory.fetchAndAdd(other, BYTES, 1));
                        count++;
                    }
                    return count;
                });
                Thread.ofPlatform().daemon().start(adder);
                try {
                    for (int round = 0; round < ROUNDS; round++) {
                        getAll(gas, memory, other);
                    }
                } finally {
                    isOver.set(true);
                }
                adder.get(200, TimeUnit.SECONDS);
            }
            gas.barrier();
        });
    }

    private static void getAll(Gas gas, GlobalMemory memory, int other) {
        MemorySegment expected = random(other, BYTES);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment own = arena.allocate(BYTES);
            Handle handle = gas.handle();
            for (int bytes = 8; bytes <= BYTES; bytes *= 32) {
                memory.get(other, 0, own, 0, bytes);
                assertSame(expected.asSlice(0, bytes), own.asSlice(0, bytes), bytes + " bytes");
                own.fill((byte) 0);
                memory.nbGet(handle, other, 0, own, 0, bytes);
                handle.await();
                assertSame(expected.asSlice(0, bytes), own.asSlice(0, bytes), bytes + " bytes, not blocking");
                own.fill((byte) 0);
            }
            memory.getStrided(other, 0, own, 0, Strided.rows(64, 100, 128, 64));
            assertSame(expected.asSlice(99 * 64, 64), own.asSlice(99 * 128, 64), "the last row");
            memory.getVector(other, own, Ranges.uniform(64, new long[] {0, 256}, new long[] {512, 0}));
            assertSame(expected.asSlice(0, 64), own.asSlice(256, 64), "the last range");
        }
    }

    @Test
    void shouldRefuseMemoryThatItsThreadHasClosed() throws Exception {
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(8);
        }
        FutureTask<String> other = new FutureTask<>(() ->
            assertThrows(IllegalStateException.class, () -> OwnersMemory.reachable(closed)).getMessage());
        Thread.ofPlatform().daemon().start(other);
        assertEquals("memory has been closed before its operation was complete", other.get());
    }
}
