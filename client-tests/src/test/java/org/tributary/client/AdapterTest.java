package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.nativeCopy;
import static org.tributary.client.Jobs.random;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.client.error.AdapterException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.remote.Handle;
import org.tributary.client.remote.Traffic;
import org.tributary.client.segment.NewSegment;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.client.testing.TestJob;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.config.Topology;
import org.tributary.fabric.Fabric;
import org.tributary.testsupport.TestedProviders;

/** Large transfers that a network adapter moves; {@link EveryPath} has everything else with adapters. */
class AdapterTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int WINDOW = 3 << 20;
    private static final int LARGE = 300_000;
    private static final long QUESTIONS_NS = 200_000_000;
    /** Whose blocks are as much as the other transfers. */
    private static final Strided ROWS = Strided.rows((LARGE - 16) / 16, 16, (LARGE - 16) / 16, (LARGE - 16) / 16);
    private static final String PREFIX = ProcessHandle.current().pid() + ":";

    static Stream<String> twoNodes() {
        return TestedProviders.with("2*1");
    }

    static Stream<String> windows() {
        return Stream.concat(twoNodes(), TestedProviders.with("2*2").limit(1));
    }

    static Stream<Arguments> operations() {
        return TestedProviders.names().flatMap(provider -> Stream.of("put", "get", "nbPut", "nbGet", "rowsPut",
            "rowsGet").map(operation -> Arguments.of(operation, provider)));
    }

    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#names")
    void shouldSendNoMessagesWhenDataAreLarge(String provider) {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        try (TestJob job = TestJob.start(Topology.of(1, 1), "network.fabric=" + provider)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(2 * LARGE);
                int other = 1 - gas.rank();
                MemorySegment source = random(gas.rank(), LARGE);
                memory.put(other, 0, source);
                MemorySegment back = empty(LARGE);
                Handle handle = gas.handle();
                Traffic before = gas.traffic();
                long beganNs = System.nanoTime();
                for (int i = 0; i < 20; i++) {
                    memory.put(other, i, source);
                    memory.nbPut(handle, other, i, source, 0, LARGE);
                    memory.nbGet(handle, other, i, back, 0, LARGE);
                    handle.await();
                    assertSame(source, back, "round " + i);
                    memory.get(other, i, back);
                }
                gas.fence(other);
                assertQuestionsAlone(gas.traffic().since(before), beganNs);
                shouldMoveBlocks(gas, memory, source, back);
                assertQuestionsAlone(gas.traffic().since(before), beganNs);
                memory.put(other, 0, source, 0, 4095);
                memory.putStrided(other, 0, source, 0, Strided.rows(4095, 9, 4095, 9000));
                assertTrue(gas.traffic().since(before).requests() > 1);
                gas.barrier();
            });
        }
    }

    /** A rank that waits for longer asks how the others are, which counts. */
    private static void assertQuestionsAlone(Traffic traffic, long beganNs) {
        long most = (System.nanoTime() - beganNs) / QUESTIONS_NS;
        assertTrue(traffic.requests() <= most && traffic.answers() <= most, () -> traffic + " and " + most);
    }

    private static void shouldMoveBlocks(Gas gas, GlobalMemory memory, MemorySegment source, MemorySegment back) {
        int other = 1 - gas.rank();
        Handle handle = gas.handle();
        Strided shape = new Strided(5000, new long[] {7, 5}, new long[] {5000, 40_000}, new long[] {-6000, 100_000});
        back.fill((byte) 0);
        memory.putStrided(other, 50_000, source, 0, shape);
        memory.getStrided(other, 50_000, back, 0, shape);
        assertRows(source, back, shape);
        back.fill((byte) 0);
        memory.nbPutStrided(handle, other, 60_000, source, 100, shape);
        memory.nbGetStrided(handle, other, 60_000, back, 100, shape);
        handle.await();
        assertRows(source.asSlice(100), back.asSlice(100), shape);
        Ranges ranges = new Ranges(new long[] {0, 10_000, 150_000}, new long[] {16, 8, 200_000},
            new int[] {10_000, 0, 140_000});
        back.fill((byte) 0);
        memory.putVector(other, source, ranges);
        memory.getVector(other, back, ranges);
        assertSame(source.asSlice(0, 10_000), back.asSlice(0, 10_000), "first range");
        assertSame(source.asSlice(150_000, 140_000), back.asSlice(150_000, 140_000), "last range");
        assertSame(empty(140_000), back.asSlice(10_000, 140_000), "between them");
    }

    private static void assertRows(MemorySegment source, MemorySegment back, Strided shape) {
        for (long row = 0; row < shape.count(1); row++) {
            for (long block = 0; block < shape.count(0); block++) {
                long at = row * shape.localStride(1) + block * shape.localStride(0);
                assertSame(source.asSlice(at, shape.blockBytes()), back.asSlice(at, shape.blockBytes()),
                    "row " + row + " block " + block);
            }
        }
    }

    /** The flag is a message, which does not overtake the data. */
    @ParameterizedTest
    @MethodSource("twoNodes")
    void shouldBeThereWhenTheFlagIs(String layout) {
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(LARGE + 16);
                Strided shape = Strided.rows(LARGE / 4, 4, LARGE / 4, LARGE / 4);
                for (long round = 1; round <= 20; round++) {
                    if (gas.rank() == 0) {
                        MemorySegment source = random(round, LARGE);
                        gas.fence(1);
                        Traffic before = gas.traffic();
                        if (round % 2 == 0) {
                            memory.putWithFlag(1, 0, source, 0, LARGE, LARGE, round);
                        } else {
                            memory.putStridedWithFlag(1, 0, source, 0, shape, LARGE, round);
                        }
                        assertTrue(round == 1 || gas.traffic().since(before).requests() == 1, "only the flag");
                        memory.awaitFlag(LARGE + 8, round, 1);
                    } else {
                        memory.awaitFlag(LARGE, round, 0);
                        assertSame(random(round, LARGE), memory.local().asSlice(0, LARGE), "round " + round);
                        memory.putWithFlag(0, 0, empty(8), 0, 8, LARGE + 8, round);
                    }
                }
                gas.barrier();
            });
        }
    }

    /** The server counts the writes: contiguous, of a shape, of ranges; small puts between them are messages. */
    @ParameterizedTest
    @MethodSource("windows")
    void shouldCountWritesWhenAWindowNotifies(String layout) {
        WindowOptions options = WindowOptions.DEFAULT.withFence(FenceDesign.IMMEDIATE_NOTIFY);
        Strided shape = Strided.rows(5000, 40, 5000, 6000);
        Ranges ranges = new Ranges(new long[] {0, 100_000}, new long[] {2L * LARGE, 2L * LARGE + 150_000},
            new int[] {9000, 100_000});
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                int to = (gas.rank() + gas.rankCount() / 2) % gas.rankCount();
                try (Window window = Window.allocate(gas, gas.world(), 3L * LARGE, 1, options)) {
                    MemorySegment own = window.local();
                    window.fence();
                    for (int round = 0; round < 12; round++) {
                        MemorySegment source = random(1000L * gas.rank() + round, LARGE);
                        Traffic before = gas.traffic();
                        window.put(to, 0, source);
                        window.putStrided(to, LARGE, source, 0, shape);
                        window.putVector(to, 0, source, ranges);
                        assertTrue(round == 0 || gas.traffic().since(before).requests() <= 1, "but for a fence");
                        window.put(to, 3L * LARGE - 8, source, 0, 8);
                        window.fence();
                        assertWritten(own, random(1000L * to + round, LARGE), "round " + round);
                        window.fence();
                    }
                }
            });
        }
    }

    /** Nobody knows whether it was counted, and its target would wait for ever. */
    @Test
    void shouldEndTheJobWhenAWriteThatCountsFails() {
        WindowOptions options = WindowOptions.DEFAULT.withFence(FenceDesign.IMMEDIATE_NOTIFY);
        AtomicInteger told = new AtomicInteger();
        try (TestJob job = TestJob.start("2*1 " + TestedProviders.first())) {
            JobAbortedException ended = assertThrows(JobAbortedException.class, () -> job.run(gas -> {
                GlobalMemory memory = gas.allocate(LARGE);
                Window window = Window.create(gas, gas.world(), memory, 0, LARGE, 1, options);
                window.fence();
                window.put(1 - gas.rank(), 0, empty(LARGE));
                window.fence();
                if (gas.rank() == 1) {
                    NewSegment.free(gas.access(), memory.id());
                }
                gas.barrier();
                if (gas.rank() == 0) {
                    window.put(1, 0, empty(LARGE));
                }
                JobAbortedException here = assertThrows(JobAbortedException.class, () -> {
                    window.fence(); // rank 0 has nothing to wait for, and may learn of it later
                    window.fence();
                });
                told.incrementAndGet();
                throw here;
            }));
            assertTrue(ended.getMessage().startsWith("rank 0 cannot go on: put of " + LARGE
                + " bytes failed in the network adapter: rank 1, segment "), ended.getMessage());
        }
        assertEquals(2, told.get());
    }

    private static void assertWritten(MemorySegment own, MemorySegment expected, String what) {
        assertSame(expected, own.asSlice(0, LARGE), what);
        for (int row = 0; row < 40; row++) {
            assertSame(expected.asSlice(5000L * row, 5000), own.asSlice(LARGE + 6000L * row, 5000), what);
        }
        assertSame(expected.asSlice(0, 9000), own.asSlice(2L * LARGE, 9000), what);
        assertSame(expected.asSlice(100_000, 100_000), own.asSlice(2L * LARGE + 150_000, 100_000), what);
        assertSame(expected.asSlice(0, 8), own.asSlice(3L * LARGE - 8, 8), what);
    }

    /** Everything that a rank does takes effect in its order, whichever way it goes. */
    @ParameterizedTest
    @MethodSource("twoNodes")
    void shouldMatchAModelWhenSizesAndOperationsMix(String layout) {
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(WINDOW);
                MemorySegment model = empty(WINDOW);
                Random random = new Random(gas.rank());
                Handle[] handles = {gas.handle(), gas.aggregateHandle(), gas.deferredHandle()};
                int other = 1 - gas.rank();
                try (Arena arena = Arena.ofShared()) {
                    List<MemorySegment> sources = new ArrayList<>();
                    for (int i = 0; i < 600; i++) {
                        step(memory, other, handles[random.nextInt(3)], model, random, arena, sources);
                        if (i % 40 == 39) {
                            Handle.awaitAll(handles);
                        }
                    }
                    Handle.awaitAll(handles);
                    gas.fenceAll();
                    MemorySegment seen = empty(WINDOW);
                    memory.get(other, 0, seen);
                    assertSame(model, seen, "by the rank that wrote");
                }
                gas.barrier();
            });
        }
    }

    private static int length(Random random) {
        int bits = 3 + random.nextInt(18);
        return 8 * (1 + random.nextInt(1 << bits) / 8);
    }

    private static void step(GlobalMemory memory, int target, Handle handle, MemorySegment model, Random random,
        Arena arena, List<MemorySegment> sources) {
        int length = length(random);
        int offset = 8 * random.nextInt((WINDOW - length) / 8 + 1);
        MemorySegment place = model.asSlice(offset, length);
        MemorySegment source = random(random.nextLong(), length);
        switch (random.nextInt(8)) {
            case 0 -> {
                try (Arena own = Arena.ofConfined()) { // whose memory the adapter reads itself
                    memory.put(target, offset, random.nextBoolean() ? source : nativeCopy(own, source));
                }
                place.copyFrom(source);
                source.fill((byte) 0);
            }
            case 1, 2 -> {
                MemorySegment kept = handle.isDeferred() ? nativeCopy(arena, source) : source;
                sources.add(kept);
                memory.nbPut(handle, target, offset, kept, 0, length);
                place.copyFrom(source);
                if (!handle.isDeferred()) {
                    source.fill((byte) 0);
                }
            }
            case 3 -> {
                try (Arena own = Arena.ofConfined()) {
                    MemorySegment seen = random.nextBoolean() ? empty(length) : own.allocate(length);
                    memory.get(target, offset, seen);
                    assertSame(place, seen, "get");
                }
            }
            case 4 -> {
                int count = Math.min(length, 4000) / 8;
                memory.nbAccumulate(handle, target, offset, Scale.ofLong(3), source, 0, 8L * count);
                for (int at = 0; at < 8 * count; at += 8) {
                    place.set(LONG, at, place.get(LONG, at) + 3 * source.get(LONG, at));
                }
            }
            case 5 -> {
                assertEquals(place.get(LONG, 0), memory.fetchAndAdd(target, offset, 5));
                place.set(LONG, 0, place.get(LONG, 0) + 5);
            }
            case 6 -> {
                int row = Math.max(8, length / 3 / 8 * 8);
                int rows = Math.min(3, length / row);
                Strided shape = Strided.rows(row, rows, row, row);
                if (handle.isDeferred()) {
                    memory.putStrided(target, offset, source, 0, shape);
                } else {
                    memory.nbPutStrided(handle, target, offset, source, 0, shape);
                }
                place.asSlice(0, (long) rows * row).copyFrom(source.asSlice(0, (long) rows * row));
            }
            default -> {
                int count = Math.min(length, 2000) / 8;
                memory.putStrided(target, offset, source, 0, new Strided(8, new long[] {count}, new long[] {8},
                    new long[] {8}));
                place.asSlice(0, 8L * count).copyFrom(source.asSlice(0, 8L * count));
            }
        }
    }

    /** A later put of a rank may not be seen without an earlier one, whichever way each goes. */
    @ParameterizedTest
    @MethodSource("twoNodes")
    void shouldNotOvertakeWhenSmallAndLargePutsFollowEachOther(String layout) {
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(LARGE + 8);
                long[] values = new long[LARGE / 8];
                if (gas.rank() == 0) {
                    Handle handle = gas.handle();
                    for (long round = 1; round <= 200; round++) {
                        java.util.Arrays.fill(values, round);
                        memory.nbPut(handle, 1, 0, MemorySegment.ofArray(values), 0, LARGE);
                        memory.putLong(1, LARGE, round);
                    }
                    handle.await();
                    gas.fence(1);
                } else {
                    long last = 0;
                    while (last < 200) {
                        last = (long) ValueLayout.JAVA_LONG.varHandle().getAcquire(memory.local(), (long) LARGE);
                        long first = memory.local().get(LONG, LARGE - 8);
                        assertTrue(first >= last, first + " behind " + last);
                    }
                }
                gas.barrier();
            });
        }
    }

    @ParameterizedTest
    @MethodSource("twoNodes")
    void shouldKeepThreadsApartWhenTheyShareAnAdapter(String layout) {
        int threads = 4;
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate((long) threads * LARGE);
                int other = 1 - gas.rank();
                try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
                    List<Future<Void>> all = new ArrayList<>();
                    for (int thread = 0; thread < threads; thread++) {
                        long base = (long) thread * LARGE;
                        long seed = 7L * thread + gas.rank();
                        all.add(pool.submit((Callable<Void>) () -> {
                            work(gas, memory, other, base, seed);
                            return null;
                        }));
                    }
                    for (Future<Void> each : all) {
                        each.get();
                    }
                }
                gas.fenceAll();
                gas.barrier();
            });
        }
    }

    private static void work(Gas gas, GlobalMemory memory, int other, long base, long seed) {
        Handle handle = gas.handle();
        MemorySegment back = empty(LARGE - 8);
        for (int round = 0; round < 60; round++) {
            MemorySegment source = random(seed + 100L * round, LARGE - 8);
            memory.nbPut(handle, other, base, source, 0, LARGE - 8);
            assertEquals(round, memory.fetchAndAdd(other, base + LARGE - 8, 1));
            memory.nbGet(handle, other, base, back, 0, LARGE - 8);
            handle.await();
            assertSame(source, back, "round " + round);
            if (round % 10 == 0) {
                gas.fence(other);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("twoNodes")
    void shouldBeThereWhenFencesReturn(String layout) {
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(2 * LARGE);
                int other = 1 - gas.rank();
                Handle handle = gas.deferredHandle();
                try (Arena arena = Arena.ofShared()) {
                    for (int round = 0; round < 40; round++) {
                        MemorySegment source = nativeCopy(arena, random(round, LARGE));
                        memory.nbPut(handle, other, 0, source, 0, LARGE);
                        memory.nbPut(handle, other, LARGE, source, 0, LARGE);
                        if (round % 2 == 0) {
                            gas.fence(other);
                        } else {
                            gas.fenceAll();
                        }
                        gas.barrier();
                        assertSame(source, memory.local().asSlice(LARGE), "round " + round);
                        gas.barrier();
                    }
                }
                handle.await();
            });
        }
    }

    @ParameterizedTest
    @MethodSource("twoNodes")
    void shouldBeZeroWhenMemoryFollowsMemoryThatOthersWrote(String layout) {
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                int other = 1 - gas.rank();
                for (int round = 0; round < 80; round++) {
                    try (GlobalMemory memory = gas.allocate(LARGE)) {
                        assertEquals(-1, memory.local().mismatch(empty(LARGE)), "round " + round);
                        gas.barrier();
                        memory.nbPut(gas.handle(), other, 0, random(round, LARGE), 0, LARGE);
                    }
                }
                gas.barrier();
            });
        }
    }

    /** As if a member had freed what another one still writes, which no program can. */
    @ParameterizedTest
    @MethodSource("operations")
    void shouldSayWhatFailedAndGoOnWithMessagesWhenTheRegionIsGone(String operation, String provider) {
        String itSays = "an operation of endpoint of " + provider + ";ofi_rxm on \\S+: .+";
        if (provider.equals("shm")) {
            itSays = "an operation of endpoint of shm on .+|node 1 has freed segment [0-9a-f]+, and the provider shm"
                + " does not end what was on its way there";
        }
        String why = itSays;
        try (TestJob job = TestJob.start("2*1 " + provider)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(LARGE);
                if (gas.rank() == 0) {
                    memory.put(1, 0, empty(LARGE));
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    NewSegment.free(gas.access(), memory.id());
                }
                gas.barrier();
                if (gas.rank() == 0) {
                    AdapterException failed =
                        assertThrows(AdapterException.class, () -> operate(gas, memory, operation));
                    assertTrue(failed.getMessage().matches(operation.replaceAll("nb|rows", "").toLowerCase(Locale.ROOT)
                        + " of 299984 bytes failed in the network adapter: rank 1, segment [0-9a-f]+, offset 16:"
                        + " (" + why + ")"), failed.getMessage());
                    assertEquals(List.of(1L, memory.id(), 16L),
                        List.of((long) failed.rank(), failed.segment(), failed.offset()));
                    gas.fence(1);
                    memory.put(1, 16, empty(LARGE - 16));
                    assertThrows(InvalidAddressException.class, () -> gas.fence(1));
                }
                gas.barrier();
                GlobalMemory next = gas.allocate(LARGE);
                next.put(1 - gas.rank(), 0, random(1, LARGE));
                gas.fenceAll();
                gas.barrier();
                assertSame(random(1, LARGE), next.local(), "afterwards");
                gas.barrier();
            });
        }
    }

    private static void operate(Gas gas, GlobalMemory memory, String operation) {
        Handle handle = gas.handle();
        MemorySegment here = empty(LARGE - 16);
        switch (operation) {
            case "put" -> memory.put(1, 16, here);
            case "get" -> memory.get(1, 16, here);
            case "rowsPut" -> memory.putStrided(1, 16, here, 0, ROWS);
            case "rowsGet" -> memory.getStrided(1, 16, here, 0, ROWS);
            case "nbPut" -> {
                memory.nbPut(handle, 1, 16, here, 0, here.byteSize());
                handle.await();
                gas.fence(1);
            }
            default -> {
                memory.nbGet(handle, 1, 16, here, 0, here.byteSize());
                handle.await();
            }
        }
    }

    @Test
    void shouldFailTheGetAloneWhenItsDestinationIsGone() {
        try (TestJob job = TestJob.start("2*1 " + TestedProviders.first())) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(LARGE);
                if (gas.rank() == 0) {
                    Handle handle = gas.handle();
                    try (Arena arena = Arena.ofShared()) {
                        memory.get(1, 0, empty(LARGE));
                        memory.nbGet(handle, 1, 0, arena.allocate(LARGE), 0, LARGE);
                    }
                    AdapterException failed = assertThrows(AdapterException.class, handle::await);
                    assertTrue(failed.getMessage().contains("its destination cannot be written"), failed.getMessage());
                    memory.get(1, 0, empty(LARGE));
                }
                gas.barrier();
            });
        }
    }

    private static List<String> names(String folder) throws IOException {
        try (Stream<Path> entries = Files.list(Path.of(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    /** Without sockets, some of which the servers of a job in one process close a little later. */
    private static long descriptors() throws IOException {
        long count = 0;
        for (String name : names("/proc/self/fd")) {
            Path file = Path.of("/proc/self/fd", name);
            count += Files.isSymbolicLink(file) && !Files.readSymbolicLink(file).toString().startsWith("socket:")
                ? 1 : 0;
        }
        return count;
    }

    private static List<String> filesOfThisProcess() throws IOException {
        return names("/dev/shm").stream().filter(name -> name.startsWith(PREFIX)).toList();
    }

    @ParameterizedTest
    @MethodSource("twoNodes")
    void shouldLeaveNothingWhenRanksLeave(String layout) throws IOException {
        List<String> files = filesOfThisProcess();
        long descriptors = 0;
        for (int i = 0; i < 4; i++) {
            try (TestJob job = TestJob.start(layout)) {
                job.run(gas -> {
                    GlobalMemory memory = gas.allocate(LARGE);
                    memory.put(1 - gas.rank(), 0, empty(LARGE));
                    gas.barrier();
                });
            }
            descriptors = i == 1 ? descriptors() : descriptors;
        }
        assertTrue(descriptors() < descriptors + 3, "descriptors are left");
        assertEquals(files, filesOfThisProcess());
    }
}
