package org.tributary.benchmarks.cold;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;

/**
 * Operands of the operations to be timed.
 *
 * @param memory {@link #BYTES} of each rank
 * @param mutexes one of each rank
 * @param window as large
 * @param buffer as large, of the calling rank
 * @param target the rank to which operations go
 */
record Place(Gas gas, GlobalMemory memory, MutexSet mutexes, Window window, MemorySegment buffer, int target)
    implements AutoCloseable {
    static final long BYTES = 1 << 20;

    /** Collective; the target is the first rank of the next node. */
    static Place allocate(Gas gas, Arena arena) {
        int target = gas.topology().firstRank((gas.node() + 1) % gas.nodeCount());
        return new Place(gas, gas.allocate(BYTES), gas.createMutexes(1),
            Window.allocate(gas, gas.world(), BYTES, 1, WindowOptions.DEFAULT), arena.allocate(BYTES, Long.BYTES),
            target);
    }

    /** Collective. */
    @Override
    public void close() {
        window.close();
        mutexes.close();
        memory.close();
    }
}
