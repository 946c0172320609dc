package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.client.testing.TestJob;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Topology;
import org.tributary.testsupport.ExpectsErrors;

/** Mistakes of a caller: a typed exception with the values that it is about, nothing else happens, the job goes on. */
class BadInputTest {
    private static final long PART = 1000;

    @EveryPath
    void shouldNameWhatIsOutsideWhenAddressIsWrong(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(PART);
            MemorySegment buffer = Jobs.random(1, 100);
            Strided back = new Strided(8, new long[] {3}, new long[] {8}, new long[] {-8});
            Ranges ranges = Ranges.uniform(16, new long[] {0, 16}, new long[] {0, PART - 15});
            for (int target = 0; target < gas.rankCount(); target++) {
                int rank = target;
                outside(memory, () -> memory.put(rank, PART - 99, buffer), rank, PART - 99, 100);
                outside(memory, () -> memory.get(rank, -1, buffer), rank, -1, 100);
                outside(memory, () -> memory.putLong(rank, Long.MAX_VALUE, 1), rank, Long.MAX_VALUE, 8);
                outside(memory, () -> memory.fetchAndAdd(rank, PART, 1), rank, PART, 8);
                outside(memory, () -> memory.setFlag(rank, PART, 1), rank, PART, 8);
                outside(memory, () -> memory.accumulate(rank, PART - 4, Scale.ofLong(1), buffer, 0, 8), rank, PART - 4,
                    8);
                outside(memory, () -> memory.putVector(rank, buffer, ranges), rank, PART - 15, 16);
                InvalidAddressException low = assertThrows(InvalidAddressException.class,
                    () -> memory.putStrided(rank, 8, buffer, 0, back));
                assertEquals(PART, low.limit());
                assertThrows(InvalidAddressException.class, () -> memory.getStrided(rank, PART - 7, buffer, 0, back));
                assertThrows(IndexOutOfBoundsException.class, () -> memory.put(rank, 0, buffer, 50, 51));
                assertThrows(IndexOutOfBoundsException.class, () -> memory.get(rank, 0, buffer, 0, 101));
            }
            untouched(gas, memory);
        });
    }

    private static void outside(GlobalMemory memory, Executable call, int rank, long offset, long length) {
        InvalidAddressException refused = assertThrows(InvalidAddressException.class, call);
        assertEquals(rank, refused.rank());
        assertEquals(memory.id(), refused.segment());
        assertEquals(offset, refused.offset());
        assertEquals(length, refused.lengthInBytes());
        assertEquals(PART, refused.limit());
        for (long value : new long[] {rank, offset, length, PART}) {
            assertTrue(refused.getMessage().contains(" " + value), refused.getMessage());
        }
    }

    /** Nothing was changed by what was refused, and the job goes on. */
    private static void untouched(Gas gas, GlobalMemory memory) {
        gas.barrier();
        Jobs.assertSame(Jobs.empty(PART), memory.local(), "own part");
        gas.barrier();
        int target = gas.rankCount() - 1;
        memory.fetchAndAdd(target, 0, 1);
        gas.barrier();
        assertEquals(gas.rankCount(), memory.getLong(target, 0));
        gas.barrier();
    }

    @EveryPath
    void shouldRefuseWhenMisalignedOrNoSuchRank(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(PART);
            MemorySegment buffer = Jobs.random(1, 100);
            for (int target = 0; target < gas.rankCount(); target++) {
                int rank = target;
                InvalidAddressException refused =
                    assertThrows(InvalidAddressException.class, () -> memory.fetchAndAdd(rank, 4, 1));
                assertEquals(8, refused.limit());
                assertEquals(4, refused.offset());
                for (Executable call : new Executable[] {() -> memory.swapInt(rank, 2, 1),
                    () -> memory.compareAndSwap(rank, 12, 0, 1), () -> memory.addToFlag(rank, 4, 1),
                    () -> memory.putWithFlag(rank, 0, buffer, 0, 8, 20, 1), () -> memory.awaitFlag(4, 0, -1),
                    () -> memory.accumulate(rank, 4, Scale.ofDouble(1), buffer, 0, 8),
                    () -> memory.accumulate(rank, 0, Scale.ofDouble(1), buffer, 0, 12),
                    () -> memory.accumulateVector(rank, Scale.ofInt(1), buffer,
                        Ranges.uniform(6, new long[] {0}, new long[] {0}))}) {
                    assertThrows(InvalidAddressException.class, call);
                }
            }
            for (int rank : new int[] {-1, gas.rankCount(), Integer.MAX_VALUE}) {
                assertThrows(InvalidAddressException.class, () -> memory.putLong(rank, 0, 1));
                assertThrows(InvalidAddressException.class, () -> gas.fence(rank));
                assertThrows(InvalidAddressException.class, () -> gas.notify(rank));
                assertThrows(InvalidAddressException.class, () -> gas.waitNotify(rank));
                assertThrows(InvalidAddressException.class, () -> gas.nodeOf(rank));
            }
            untouched(gas, memory);
        });
    }

    @EveryPath
    void shouldRefuseWhenMemoryIsClosed(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory closed = gas.allocate(PART);
            GlobalMemory memory = gas.allocate(PART);
            closed.close();
            for (int target = 0; target < gas.rankCount(); target++) {
                int rank = target;
                InvalidAddressException refused =
                    assertThrows(InvalidAddressException.class, () -> closed.putLong(rank, 0, 1));
                assertTrue(refused.getMessage().contains("closed"), refused.getMessage());
                assertThrows(InvalidAddressException.class, () -> closed.fetchAndAdd(rank, 0, 1));
                assertThrows(InvalidAddressException.class,
                    () -> closed.nbGet(gas.handle(), rank, 0, Jobs.empty(8), 0, 8));
            }
            closed.close();
            assertThrows(InvalidAddressException.class, closed::local);
            untouched(gas, memory);
        });
    }

    @EveryPath
    void shouldRefuseWhenBufferCannotBeUsed(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(PART);
            Arena closed = Arena.ofShared();
            MemorySegment gone = closed.allocate(64);
            closed.close();
            try (ForeignBuffer foreign = new ForeignBuffer()) {
                for (int target = 0; target < gas.rankCount(); target++) {
                    int rank = target;
                    assertThrows(IllegalStateException.class, () -> memory.put(rank, 0, gone));
                    assertThrows(IllegalStateException.class, () -> memory.get(rank, 0, gone));
                    assertThrows(RuntimeException.class, () -> memory.put(rank, 0, foreign.memory));
                    assertThrows(RuntimeException.class,
                        () -> memory.nbGet(gas.handle(), rank, 0, foreign.memory, 0, 8));
                    assertThrows(IllegalArgumentException.class,
                        () -> memory.get(rank, 0, Jobs.empty(8).asReadOnly()));
                }
            }
            untouched(gas, memory);
        });
    }

    /** Memory that only another thread may touch. */
    private static final class ForeignBuffer implements AutoCloseable {
        private final CountDownLatch done = new CountDownLatch(1);
        private MemorySegment memory;

        ForeignBuffer() throws InterruptedException {
            CountDownLatch ready = new CountDownLatch(1);
            Thread.ofPlatform().daemon().start(() -> {
                try (Arena arena = Arena.ofConfined()) {
                    memory = arena.allocate(64);
                    ready.countDown();
                    done.await(200, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            assertTrue(ready.await(200, TimeUnit.SECONDS));
        }

        @Override
        public void close() {
            done.countDown();
        }
    }

    @EveryPath
    void shouldRefuseWhenHandleBelongsToAnotherRank(String layout) {
        Handle[] handles = new Handle[TestJob.topology(layout).rankCount()];
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(PART);
            handles[gas.rank()] = gas.handle();
            gas.barrier();
            Handle other = handles[(gas.rank() + 1) % gas.rankCount()];
            assertThrows(IllegalArgumentException.class,
                () -> memory.nbPut(other, 0, 0, Jobs.random(1, 8), 0, 8));
            untouched(gas, memory);
        });
    }

    @Test
    @ExpectsErrors("refused .*: it has another secret than this job, or so it says")
    void shouldRefuseWhenSecretIsWrongOrRankTaken() {
        try (TestJob job = TestJob.start(Topology.parse("1*2"))) {
            JobEnvironment own = job.environmentOf(1);
            JobEnvironment stranger = JobEnvironment.builder().jobId(own.jobId()).secret(new byte[32])
                .topology(own.topology()).node(0).rank(1).build();
            AttachException refused =
                assertThrows(AttachException.class, () -> Gas.attach(stranger, job.settings()));
            assertTrue(refused.getMessage().contains("secret"), refused.getMessage());
            job.run(gas -> {
                gas.barrier();
                assertThrows(AttachException.class, () -> job.attach(gas.rank()));
                gas.barrier();
            });
        }
    }
}
