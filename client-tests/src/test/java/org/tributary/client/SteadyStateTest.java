package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.client.testing.TestJob;

/** Once warm, requests cost no garbage, neither in the thread that makes them nor in the server's event loop. */
@Timeout(SteadyStateTest.DEADLINE_S + 60)
class SteadyStateTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int OPERATIONS = 20_000;
    /**
     * How long operations of a job are repeated until the compiler has come so far. Every signal wakes rank 1, which
     * sleeps in the barrier, and a system call costs 40 bytes until its stub is compiled: a minute when the machine is
     * busy.
     */
    private static final long PATIENCE_S = 120;
    static final long DEADLINE_S = 3 * PATIENCE_S;
    /** Something allocates a little now and then; an object for each operation does not pass. */
    private static final double BYTES_PER_OPERATION = 1;

    private static final int LOW_DESCRIPTORS = 128;
    private static final List<FileInputStream> OPEN = new ArrayList<>();

    private static final Scale SCALE = Scale.ofDouble(2);
    private static final Strided SHAPE = Strided.rows(8, 3, 8, 16);
    private static final Ranges RANGES = Ranges.uniform(8, new long[] {0, 16, 8}, new long[] {40, 0, 16});

    /** What is repeated, on target 1: between nodes and on one. */
    enum Request {
        PUT((gas, memory, handle, buffer) -> memory.put(1, 0, buffer, 0, 8)),
        PUT_AND_FENCE((gas, memory, handle, buffer) -> {
            memory.put(1, 0, buffer, 0, 8);
            gas.fence(1);
        }),
        NON_BLOCKING_PUT((gas, memory, handle, buffer) -> memory.nbPut(handle, 1, 8, buffer, 0, 8)),
        PUT_STRIDED((gas, memory, handle, buffer) -> memory.putStrided(1, 0, buffer, 0, SHAPE)),
        NON_BLOCKING_PUT_STRIDED((gas, memory, handle, buffer) ->
            memory.nbPutStrided(handle, 1, 0, buffer, 0, SHAPE)),
        PUT_VECTOR((gas, memory, handle, buffer) -> memory.putVector(1, buffer, RANGES)),
        NON_BLOCKING_PUT_VECTOR((gas, memory, handle, buffer) -> memory.nbPutVector(handle, 1, buffer, RANGES)),
        PUT_WITH_FLAG((gas, memory, handle, buffer) -> memory.putWithFlag(1, 0, buffer, 0, 8, 56, 1)),
        PUT_STRIDED_WITH_FLAG((gas, memory, handle, buffer) ->
            memory.putStridedWithFlag(1, 0, buffer, 0, SHAPE, 56, 1)),
        SET_FLAG((gas, memory, handle, buffer) -> memory.setFlag(1, 56, 1)),
        GET((gas, memory, handle, buffer) -> memory.get(1, 0, buffer, 0, 8)),
        NON_BLOCKING_GET((gas, memory, handle, buffer) -> {
            memory.nbGet(handle, 1, 0, buffer, 0, 8);
            handle.await();
        }),
        GET_STRIDED((gas, memory, handle, buffer) -> memory.getStrided(1, 0, buffer, 0, SHAPE)),
        NON_BLOCKING_GET_STRIDED((gas, memory, handle, buffer) -> {
            memory.nbGetStrided(handle, 1, 0, buffer, 0, SHAPE);
            handle.await();
        }),
        GET_VECTOR((gas, memory, handle, buffer) -> memory.getVector(1, buffer, RANGES)),
        NON_BLOCKING_GET_VECTOR((gas, memory, handle, buffer) -> {
            memory.nbGetVector(handle, 1, buffer, RANGES);
            handle.await();
        }),
        ACCUMULATE((gas, memory, handle, buffer) -> memory.accumulate(1, 0, SCALE, buffer, 0, 8)),
        NON_BLOCKING_ACCUMULATE((gas, memory, handle, buffer) ->
            memory.nbAccumulate(handle, 1, 0, SCALE, buffer, 0, 8)),
        ACCUMULATE_STRIDED((gas, memory, handle, buffer) ->
            memory.accumulateStrided(1, 0, SCALE, buffer, 0, SHAPE)),
        NON_BLOCKING_ACCUMULATE_STRIDED((gas, memory, handle, buffer) ->
            memory.nbAccumulateStrided(handle, 1, 0, SCALE, buffer, 0, SHAPE)),
        ACCUMULATE_VECTOR((gas, memory, handle, buffer) -> memory.accumulateVector(1, SCALE, buffer, RANGES)),
        NON_BLOCKING_ACCUMULATE_VECTOR((gas, memory, handle, buffer) ->
            memory.nbAccumulateVector(handle, 1, SCALE, buffer, RANGES)),
        FETCH_AND_ADD((gas, memory, handle, buffer) -> memory.fetchAndAdd(1, 0, 1)),
        SWAP((gas, memory, handle, buffer) -> memory.swap(1, 0, 1)),
        COMPARE_AND_SWAP((gas, memory, handle, buffer) -> memory.compareAndSwap(1, 0, 0, 0));

        private final Body body;

        Request(Body body) {
            this.body = body;
        }
    }

    private static final List<Request> PASSED_ON = List.of(Request.PUT_AND_FENCE, Request.GET,
        Request.ACCUMULATE, Request.FETCH_AND_ADD);

    private interface Body {
        void issue(Gas gas, GlobalMemory memory, Handle handle, MemorySegment buffer);
    }

    /** Takes the low descriptors, which the JDK keeps boxes for: a program with many files open has none of them. */
    @BeforeAll
    static void openManyFiles() throws IOException {
        for (int i = 0; i < LOW_DESCRIPTORS; i++) {
            OPEN.add(new FileInputStream("/dev/null"));
        }
    }

    @AfterAll
    static void closeFiles() throws IOException {
        for (FileInputStream file : OPEN) {
            file.close();
        }
    }

    /** With two loops, one of them moves the data. */
    @ParameterizedTest
    @CsvSource({"2,1", "2*1,1", "2*1,2"})
    void shouldAllocateNothingWhenWarm(String layout, int threads) {
        long lateNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        run(layout, threads, gas -> {
            GlobalMemory memory = gas.allocate(64);
            if (gas.rank() == 0) {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment buffer = arena.allocate(64);
                    int operations = layout.equals("2") ? OPERATIONS : OPERATIONS / 10;
                    assertAll(Arrays.stream(Request.values())
                        .map(request -> () -> measure(request, operations, lateNs, gas, memory, buffer)));
                }
            }
            gas.barrier();
        });
    }

    /** From rank 0 to its own server, which passes them on: both servers' garbage is counted. */
    @ParameterizedTest
    @ValueSource(strings = {"2*1 forward", "2*1 aggregate", "2*1 combine", "2*1 combine node"})
    void shouldAllocateNothingWhenWarmAndServersPassRequestsOn(String layout) {
        long lateNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        run(layout, 1, gas -> {
            GlobalMemory memory = gas.allocate(64);
            if (gas.rank() == 0) {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment buffer = arena.allocate(64);
                    assertAll(PASSED_ON.stream()
                        .map(request -> () -> measure(request, OPERATIONS / 10, lateNs, gas, memory, buffer)));
                }
            }
            gas.barrier();
        });
    }

    private static void run(String layout, int threads, TestJob.RankProgram program) {
        try (TestJob job = TestJob.start(layout, "message.max-payload=64k", "server.threads=" + threads)) {
            job.run(program, DEADLINE_S);
        }
    }

    private static void measure(Request request, int operations, long lateNs, Gas gas, GlobalMemory memory,
        MemorySegment buffer) {
        Handle handle = gas.handle();
        long[] loops = loops(gas.nodeOf(1), gas.node());
        double own;
        double servers;
        boolean late;
        do {
            late = System.nanoTime() - lateNs > 0;
            long ownBefore = THREADS.getCurrentThreadAllocatedBytes();
            long serverBefore = allocated(loops);
            for (int i = 0; i < operations; i++) {
                request.body.issue(gas, memory, handle, buffer);
            }
            gas.fence(1);
            own = (double) (THREADS.getCurrentThreadAllocatedBytes() - ownBefore) / operations;
            servers = (double) (allocated(loops) - serverBefore) / operations;
        } while (Math.max(own, servers) >= BYTES_PER_OPERATION && !late);
        assertTrue(Math.max(own, servers) < BYTES_PER_OPERATION,
            request + " allocates " + own + " bytes in the caller and " + servers + " in the server");
    }

    private static long allocated(long... threads) {
        return Arrays.stream(threads).map(THREADS::getThreadAllocatedBytes).sum();
    }

    /** Of the servers of two nodes, which may be one. */
    private static long[] loops(int node, int other) {
        List<String> names = List.of("tributary-server-" + node + "-", "tributary-data-" + node + "-",
            "tributary-server-" + other + "-", "tributary-data-" + other + "-");
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> names.stream().anyMatch(thread.getName()::startsWith))
            .mapToLong(Thread::threadId).toArray();
    }
}
