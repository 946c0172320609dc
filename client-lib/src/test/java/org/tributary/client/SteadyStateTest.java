package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Once warm, requests cost no garbage, neither in the thread that makes them nor in the server's event loop. */
class SteadyStateTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 30_000;
    private static final int OPERATIONS = 100_000;
    /** Something allocates a little now and then; an object for each operation does not pass. */
    private static final double BYTES_PER_OPERATION = 1;

    /** What is repeated. */
    enum Request {
        NON_BLOCKING_PUT {
            @Override
            void issue(Gas gas, GlobalMemory memory, Handle handle, MemorySegment buffer, int i) {
                memory.nbPut(handle, 1, 8L * (i & 7), buffer, 0, 8);
            }
        },
        PUT_AND_FENCE {
            @Override
            void issue(Gas gas, GlobalMemory memory, Handle handle, MemorySegment buffer, int i) {
                memory.put(1, 0, buffer, 0, 8);
                gas.fence(1);
            }
        },
        GET {
            @Override
            void issue(Gas gas, GlobalMemory memory, Handle handle, MemorySegment buffer, int i) {
                memory.get(1, 0, buffer, 0, 8);
            }
        },
        FETCH_AND_ADD {
            @Override
            void issue(Gas gas, GlobalMemory memory, Handle handle, MemorySegment buffer, int i) {
                memory.fetchAndAdd(1, 0, 1);
            }
        };

        abstract void issue(Gas gas, GlobalMemory memory, Handle handle, MemorySegment buffer, int i);
    }

    @ParameterizedTest
    @EnumSource
    void shouldAllocateNothingWhenWarm(Request request) {
        Jobs.run("2*1", gas -> {
            GlobalMemory memory = gas.allocate(64);
            if (gas.rank() == 0) {
                try (Arena arena = Arena.ofConfined()) {
                    measure(request, gas, memory, arena.allocate(64));
                }
            }
            gas.barrier();
        });
    }

    private static void measure(Request request, Gas gas, GlobalMemory memory, MemorySegment buffer) {
        Handle handle = gas.handle();
        issue(request, WARM_UP, gas, memory, handle, buffer);
        long server = serverThread();
        long ownBefore = THREADS.getCurrentThreadAllocatedBytes();
        long serverBefore = THREADS.getThreadAllocatedBytes(server);
        issue(request, OPERATIONS, gas, memory, handle, buffer);
        double own = (double) (THREADS.getCurrentThreadAllocatedBytes() - ownBefore) / OPERATIONS;
        double servers = (double) (THREADS.getThreadAllocatedBytes(server) - serverBefore) / OPERATIONS;
        assertTrue(own < BYTES_PER_OPERATION && servers < BYTES_PER_OPERATION,
            request + " allocates " + own + " bytes in the caller and " + servers + " in the server");
    }

    private static void issue(Request request, int count, Gas gas, GlobalMemory memory, Handle handle,
        MemorySegment buffer) {
        for (int i = 0; i < count; i++) {
            request.issue(gas, memory, handle, buffer, i);
        }
        gas.fence(1);
    }

    private static long serverThread() {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("tributary-server-1-")).mapToLong(Thread::threadId)
            .max().orElseThrow();
    }
}
