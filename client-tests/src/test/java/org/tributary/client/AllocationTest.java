package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.OutOfSharedMemoryException;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.client.testing.TestJob;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.config.Topology;

class AllocationTest {
    private static final long GIB = 1L << 30;

    @EveryPath
    void shouldHavePartsOfOwnSizesWhenTheyDiffer(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(gas.rank() * 5000L);
            for (int rank = 0; rank < gas.rankCount(); rank++) {
                assertEquals(rank * 5000L, memory.bytes(rank));
                assertEquals(gas.sameNode(rank), memory.isShared(rank));
                if (rank > 0) {
                    assertEquals(0, memory.getLong(rank, 5000L * rank - 8)); // initially zero
                }
                int none = rank;
                assertThrows(InvalidAddressException.class, () -> memory.getLong(none, 5000L * none - 7));
            }
            assertEquals(gas.rank() * 5000L, memory.local().byteSize());
            gas.barrier();
            memory.close();
        });
    }

    /** Others take part in these calls, so no interrupt ends them. */
    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1"})
    void shouldMakeMemoryWhenAThreadIsInterrupted(String layout) {
        Jobs.run(layout, gas -> {
            gas.barrier(); // an interrupt ends the opening of a connection
            if (gas.rank() == 0) {
                Thread.currentThread().interrupt();
            }
            try (GlobalMemory memory = gas.allocate(64);
                MutexSet mutexes = gas.createMutexes(1);
                Group all = gas.world().split(0, gas.rank());
                Window window = Window.allocate(gas, all, 64, 1, WindowOptions.DEFAULT)) {
                assertEquals(gas.rank() == 0, Thread.interrupted());
                int next = (gas.rank() + 1) % gas.rankCount();
                memory.putLong(next, 0, 7);
                mutexes.lock(next, 0);
                mutexes.unlock(next, 0);
                window.fence();
                window.fence();
                gas.barrier();
                assertEquals(7, memory.local().get(ValueLayout.JAVA_LONG, 0));
            }
        });
    }

    @EveryPath
    void shouldShareMemoryWhenRanksAreOnOneNode(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(8L * gas.rankCount());
            for (int rank = 0; rank < gas.rankCount(); rank++) {
                if (gas.sameNode(rank)) {
                    assertEquals(gas.node(), gas.nodeOf(rank));
                    memory.shared(rank).setAtIndex(ValueLayout.JAVA_LONG, gas.rank(), gas.rank() + 100);
                } else {
                    int elsewhere = rank;
                    assertThrows(InvalidAddressException.class, () -> memory.shared(elsewhere));
                }
            }
            gas.barrier();
            for (int rank = 0; rank < gas.rankCount(); rank++) {
                long expected = gas.sameNode(rank) ? rank + 100 : 0;
                assertEquals(expected, memory.local().getAtIndex(ValueLayout.JAVA_LONG, rank));
            }
            gas.barrier();
        });
    }

    @EveryPath
    void shouldTellEveryRankAndGoOnWhenNodeIsTooSmall(String layout) {
        Jobs.run(layout, gas -> {
            for (long size : new long[] {1L << 42, 1L << 62, Long.MAX_VALUE}) {
                long mine = gas.rank() == gas.rankCount() - 1 ? size : 64;
                OutOfSharedMemoryException refused =
                    assertThrows(OutOfSharedMemoryException.class, () -> gas.allocate(mine));
                assertEquals(gas.nodeOf(gas.rankCount() - 1), refused.node());
                assertTrue(refused.needInBytes() >= 1L << 42, refused.getMessage());
                assertTrue(refused.freeInBytes() < size, refused.getMessage());
                assertTrue(refused.mount().startsWith("/dev/shm"), refused.getMessage());
            }
            assertThrows(OutOfSharedMemoryException.class, () -> gas.allocate(1L << 62));
            assertThrows(IllegalArgumentException.class, () -> gas.allocate(gas.rank() == 0 ? -1 : 8));
            assertThrows(IllegalArgumentException.class, () -> gas.createMutexes(gas.rank() == 0 ? -1 : 8));
            GlobalMemory memory = gas.allocate(64);
            memory.putLong(gas.rankCount() - 1, 8L * (gas.rank() % 8), 1);
            gas.barrier();
            memory.close();
        });
    }

    @Test
    void shouldNameNeedFreeAndMountWhenFileSystemIsFull(@TempDir Path parent) throws Exception {
        Path mount = Files.createDirectory(parent.resolve("shm"));
        assumeTrue(command("mount", "-t", "tmpfs", "-o", "size=6m", "tributary-test", mount.toString()),
            "only root can mount a small tmpfs");
        try {
            try (TestJob job = TestJob.start(Topology.parse("2*2"), "shm.directory=" + mount)) {
                job.run(gas -> {
                    GlobalMemory fits = gas.allocate(100_000);
                    OutOfSharedMemoryException refused =
                        assertThrows(OutOfSharedMemoryException.class, () -> gas.allocate(3 << 20));
                    assertTrue(refused.mount().startsWith(mount.toString()), refused.getMessage());
                    assertEquals(6 << 20, refused.needInBytes());
                    long used = 4 * 100_000; // by what fits; the servers' own files come on top
                    assertTrue(refused.freeInBytes() <= (6 << 20) - used, refused.getMessage());
                    fits.putLong(0, 0, 1);
                    gas.allocate(50_000).close();
                    fits.close();
                });
            }
            try (var left = Files.list(mount)) {
                assertEquals(0, left.count());
            }
        } finally {
            command("umount", "--lazy", mount.toString()); // the kernel may still be letting go of a closed socket
        }
    }

    private static boolean command(String... words) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(words).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        } catch (IOException e) {
            return false;
        }
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    @Test
    void shouldReachEveryByteWhenPartIsBeyondFourGiB() throws Exception {
        long bytes = 4 * GIB + (1 << 20);
        long shared = Files.getFileStore(Path.of("/dev/shm")).getUsableSpace();
        assumeTrue(shared > 2 * bytes && availableMemory() > 2 * bytes,
            "a part of 4 GiB needs more memory than is free");
        try (TestJob job = TestJob.start(Topology.parse("2,1"))) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(gas.rank() == 1 ? bytes : 0);
                long end = bytes - 300_064; // the words at the very end are for atomics
                long slot = end + 100_000L * gas.rank();
                MemorySegment data = Jobs.random(gas.rank(), 100_000);
                memory.put(1, slot, data);
                gas.fence(1);
                MemorySegment back = Jobs.empty(100_000);
                memory.get(1, slot, back);
                Jobs.assertSame(data, back, "beyond 4 GiB");
                memory.getStrided(1, slot, back, 0, new Strided(1, new long[] {2}, new long[] {1},
                    new long[] {-4 * GIB}));
                assertEquals(0, back.get(ValueLayout.JAVA_BYTE, 1));
                memory.fetchAndAdd(1, bytes - 8, 1);
                memory.accumulate(1, bytes - 16, Scale.ofLong(1), MemorySegment.ofArray(new long[] {2}), 0, 8);
                gas.barrier();
                assertEquals(3, memory.getLong(1, bytes - 8));
                assertEquals(6, memory.getLong(1, bytes - 16));
                InvalidAddressException outside =
                    assertThrows(InvalidAddressException.class, () -> memory.getLong(1, bytes - 7));
                assertEquals(bytes, outside.limit());
                memory.close();
            });
        }
    }

    private static long availableMemory() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream().filter(line -> line.startsWith("MemAvailable"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElse(0);
    }
}
