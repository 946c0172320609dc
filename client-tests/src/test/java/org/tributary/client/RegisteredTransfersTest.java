package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.nativeCopy;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.client.adapter.RankAdapter;
import org.tributary.client.adapter.Registering;
import org.tributary.client.error.GasException;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Strided;
import org.tributary.client.testing.TestJob;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;

/** Transfers of callers who wait, whose memory is registered: with tcp and shm, too, as if they needed that. */
class RegisteredTransfersTest {
    private static final int LARGE = 300_000;
    private static final int HUGE = 5 << 20;
    /** Memory aligned so is read to at once by provider shm. */
    private static final int ALIGNMENT = 64;
    private static final int TRIES = 2000;

    /** What a rank does, whose adapter registers memory. */
    private interface Program {
        void run(Gas gas, GlobalMemory memory, RankAdapter adapter) throws Exception;
    }

    private static void run(String layout, Program program) {
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                RankAdapter adapter = gas.access().adapter();
                Registering.always(adapter);
                GlobalMemory memory = gas.allocate(HUGE);
                program.run(gas, memory, adapter);
                gas.barrier();
            });
        }
    }

    @ParameterizedTest
    @MethodSource("org.tributary.client.AdapterTest#twoNodes")
    void shouldNotCopyWhenTheCallerWaits(String layout) {
        run(layout, (gas, memory, adapter) -> {
            int other = 1 - gas.rank();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment back = arena.allocate(HUGE, ALIGNMENT);
                memory.put(other, 0, empty(LARGE)); // the first may be a message, when one before it takes long
                for (int bytes : new int[] {64 << 10, LARGE, HUGE}) {
                    MemorySegment source = nativeCopy(arena, random(bytes + gas.rank(), bytes));
                    long before = Registering.transfers(adapter);
                    memory.put(other, 0, source);
                    memory.get(other, 0, back, 0, bytes);
                    assertEquals(2, Registering.transfers(adapter) - before, bytes + " bytes were copied");
                    assertSame(source, back.asSlice(0, bytes), bytes + " bytes");
                }
                long made = Registering.made(adapter);
                for (int i = 0; i < 50; i++) {
                    memory.get(other, i, back, ALIGNMENT * i, LARGE);
                }
                assertEquals(made, Registering.made(adapter), "all of it was registered");
                long before = Registering.transfers(adapter);
                memory.put(other, 0, back, 0, (64 << 10) - 1);
                memory.put(other, 0, empty(LARGE)); // on the heap
                Handle handle = gas.handle();
                memory.nbPut(handle, other, 0, back, 0, LARGE);
                handle.await();
                assertEquals(before, Registering.transfers(adapter), "small, on the heap, or not waited for");
            }
        });
    }

    @ParameterizedTest
    @MethodSource("org.tributary.client.AdapterTest#twoNodes")
    void shouldMoveShapesAndRangesFromRegisteredMemory(String layout) {
        Strided shape = new Strided(10_000, new long[] {20}, new long[] {-15_000}, new long[] {12_000});
        Ranges ranges = new Ranges(new long[] {LARGE, 0}, new long[] {100_000, 400_000}, new int[] {90_000, 80_000});
        WindowOptions counted = WindowOptions.DEFAULT.withFence(FenceDesign.IMMEDIATE_NOTIFY);
        run(layout, (gas, memory, adapter) -> {
            int other = 1 - gas.rank();
            try (Arena arena = Arena.ofConfined();
                 Window window = Window.allocate(gas, gas.world(), HUGE, 1, counted)) {
                MemorySegment source = nativeCopy(arena, random(gas.rank(), 2 * LARGE));
                memory.put(other, 0, source, 0, LARGE);
                long before = Registering.transfers(adapter);
                memory.putStrided(other, 0, source, LARGE, shape);
                memory.putVector(other, source, ranges);
                window.fence();
                window.put(other, 0, source);
                window.fence();
                assertTrue(Registering.transfers(adapter) - before >= 2);
                gas.barrier();
                MemorySegment theirs = random(other, 2 * LARGE);
                for (int row = 0; row < 6; row++) { // below the ranges
                    assertSame(theirs.asSlice(LARGE - 15_000L * row, 10_000),
                        memory.local().asSlice(12_000L * row, 10_000), "row " + row);
                }
                assertSame(theirs.asSlice(LARGE, 90_000), memory.local().asSlice(100_000, 90_000), "first range");
                assertSame(theirs.asSlice(0, 80_000), memory.local().asSlice(400_000, 80_000), "second range");
                assertSame(theirs, window.local().asSlice(0, 2 * LARGE), "window");
                gas.barrier();
            }
        });
    }

    /** The old registration would still reach the pages of the old memory. */
    @ParameterizedTest
    @MethodSource("org.tributary.client.AdapterTest#twoNodes")
    void shouldMoveNewMemoryWhenItHasTheAddressesOfOldMemory(String layout) {
        run(layout, (gas, memory, adapter) -> {
            int other = 1 - gas.rank();
            long address;
            try (Arena before = Arena.ofConfined()) {
                MemorySegment old = before.allocate(HUGE);
                address = old.address();
                old.copyFrom(random(1, HUGE));
                memory.put(other, 0, old);
            }
            List<Arena> others = new ArrayList<>();
            try {
                MemorySegment again = null;
                while (again == null && others.size() < TRIES) {
                    others.add(Arena.ofConfined());
                    MemorySegment next = others.getLast().allocate(HUGE);
                    again = next.address() == address ? next : null;
                }
                if (again != null) {
                    long made = Registering.made(adapter);
                    again.copyFrom(random(2, HUGE));
                    memory.put(other, 0, again);
                    assertEquals(made + 1, Registering.made(adapter), "registrations of both");
                    assertEquals(1, Registering.kept(adapter));
                    gas.fence(other);
                    MemorySegment back = empty(HUGE);
                    memory.get(other, 0, back);
                    assertSame(random(2, HUGE), back, "what was put");
                    again.fill((byte) 0);
                    memory.get(other, 0, again);
                    assertSame(random(2, HUGE), again, "what was got");
                }
            } finally {
                others.forEach(Arena::close);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("org.tributary.client.AdapterTest#twoNodes")
    void shouldCopyWhenMemoryCannotBeRegistered(String layout) {
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                RankAdapter adapter = gas.access().adapter();
                Registering.lessThan(adapter, LARGE);
                int other = 1 - gas.rank();
                GlobalMemory memory = gas.allocate(HUGE);
                try (Arena arena = Arena.ofConfined()) {
                    for (int round = 0; round < 2; round++) {
                        MemorySegment source = nativeCopy(arena, random(round, HUGE));
                        MemorySegment back = arena.allocate(HUGE, ALIGNMENT);
                        memory.put(other, 0, source);
                        memory.get(other, 0, back);
                        assertSame(source, back, "round " + round);
                    }
                    assertEquals(0, Registering.transfers(adapter));
                    memory.put(other, 0, arena.allocate(LARGE / 4));
                    assertEquals(1, Registering.transfers(adapter), "much less can be registered");
                }
                gas.barrier();
            });
        }
    }

    @ParameterizedTest
    @MethodSource("org.tributary.client.AdapterTest#twoNodes")
    void shouldKeepThreadsApartWhenEachHasMemoryOfItsOwn(String layout) {
        run(layout, (gas, memory, adapter) -> {
            List<FutureTask<Void>> threads = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                long base = (long) thread * LARGE;
                threads.add(new FutureTask<>(() -> {
                    for (int round = 0; round < 10; round++) {
                        try (Arena arena = Arena.ofConfined()) {
                            MemorySegment source = nativeCopy(arena, random(base + round, LARGE));
                            MemorySegment back = arena.allocate(LARGE, ALIGNMENT);
                            memory.put(1 - gas.rank(), base, source);
                            memory.get(1 - gas.rank(), base, back);
                            assertSame(source, back, "round " + round);
                        }
                    }
                    return null;
                }));
                Thread.ofPlatform().daemon().start(threads.getLast());
            }
            for (FutureTask<Void> thread : threads) {
                thread.get();
            }
            assertTrue(Registering.transfers(adapter) > 0);
        });
    }

    /** A thread whose transfer is given up takes its memory with it. */
    @ParameterizedTest
    @MethodSource("org.tributary.client.AdapterTest#twoNodes")
    void shouldLeaveMemoryAloneWhenTheRankLeavesDuringTransfers(String layout) {
        CountDownLatch haveRead = new CountDownLatch(2);
        CountDownLatch hasLeft = new CountDownLatch(1);
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                Registering.always(gas.access().adapter());
                GlobalMemory memory = gas.allocate(HUGE);
                gas.barrier();
                if (gas.rank() == 1) {
                    hasLeft.await();
                    return;
                }
                FutureTask<Void> reader = new FutureTask<>(() -> {
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment own = arena.allocate(HUGE, ALIGNMENT);
                        assertThrows(GasException.class, () -> {
                            while (true) {
                                memory.get(1, 0, own);
                                haveRead.countDown();
                            }
                        });
                        own.fill((byte) 77);
                        byte[] left = own.toArray(ValueLayout.JAVA_BYTE);
                        LockSupport.parkNanos(50_000_000);
                        assertArrayEquals(left, own.toArray(ValueLayout.JAVA_BYTE));
                    }
                    return null;
                });
                Thread.ofPlatform().daemon().start(reader);
                haveRead.await();
                gas.close();
                reader.get();
                assumeTrue(Registering.transfers(gas.access().adapter()) > 0);
                hasLeft.countDown();
            });
        }
    }
}
