package org.tributary.client.rehearsal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ReduceOp;

/**
 * A rank that calls a bit of everything. The build runs it, so that ranks start from what the JVM has kept of its
 * classes and profiles (JEP 483, 515); it has nothing of its own to do.
 */
public final class Rehearsal {
    private static final int CALLS = 1000;
    private static final long BYTES = 1 << 16;
    private static final long FLAG = 4096;
    private static final Strided ROWS = Strided.rows(64, 8, 128, 128);
    private static final Ranges RANGES = Ranges.uniform(8, new long[] {0, 16, 8}, new long[] {40, 0, 16});

    private Rehearsal() {
    }

    /** A rank of a job. */
    public static void main(String[] arguments) {
        try (Gas gas = Gas.attach(); Arena arena = Arena.ofConfined();
            GlobalMemory memory = gas.allocate(BYTES);
            MutexSet mutexes = gas.createMutexes(1);
            Window window = Window.allocate(gas, gas.world(), BYTES, 1, WindowOptions.DEFAULT)) {
            MemorySegment buffer = arena.allocate(BYTES, Long.BYTES);
            int next = (gas.rank() + 1) % gas.rankCount();
            for (int i = 0; i < CALLS; i++) {
                transfer(gas, memory, buffer, next);
                synchronize(gas, mutexes, next);
                epochs(window, buffer, next);
                gas.world().allreduce(ReduceOp.SUM, buffer.get(ValueLayout.JAVA_DOUBLE, 0));
            }
            gas.barrier();
        }
    }

    private static void transfer(Gas gas, GlobalMemory memory, MemorySegment buffer, int next) {
        Handle handle = gas.handle();
        memory.put(next, 0, buffer, 0, Long.BYTES);
        memory.nbPut(handle, next, 0, buffer, 0, BYTES / 2);
        handle.await();
        memory.accumulate(next, 0, Scale.ofDouble(1), buffer, 0, Long.BYTES);
        memory.putStrided(next, 0, buffer, 0, ROWS);
        memory.putVector(next, buffer, RANGES);
        memory.putWithFlag(next, 0, buffer, 0, Long.BYTES, FLAG, 1);
        memory.fetchAndAdd(next, Long.BYTES, 1);
        gas.fence(next);
        memory.get(next, 0, buffer, 0, Long.BYTES);
        memory.getStrided(next, 0, buffer, 0, ROWS);
        memory.getVector(next, buffer, RANGES);
    }

    private static void synchronize(Gas gas, MutexSet mutexes, int next) {
        mutexes.lock(next, 0);
        mutexes.unlock(next, 0);
        gas.notify(next);
        gas.waitNotify((gas.rank() + gas.rankCount() - 1) % gas.rankCount());
        gas.fenceAll();
        gas.barrier();
    }

    private static void epochs(Window window, MemorySegment buffer, int next) {
        window.lock(LockMode.EXCLUSIVE, next);
        window.put(next, 0, buffer, 0, Long.BYTES);
        window.unlock(next);
        window.fence();
        window.put(next, 0, buffer, 0, Long.BYTES);
        window.fence();
    }
}
