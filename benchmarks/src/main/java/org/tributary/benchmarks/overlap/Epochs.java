package org.tributary.benchmarks.overlap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tributary.benchmarks.measure.Computation;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.remote.Handle;

/** Times epochs: put, compute, fence. Epochs of one kind of put are compared in turns: the machine's moods meet all. */
final class Epochs {
    private static final int TRIALS = 2_001;

    private final Gas gas;
    private final GlobalMemory memory;
    private final int target;
    private final MemorySegment source;
    private final Computation computation = new Computation(TRIALS, TRIALS / 2);

    Epochs(Gas gas, GlobalMemory memory, int target, Arena arena, long maxBytes) {
        this.gas = gas;
        this.memory = memory;
        this.target = target;
        this.source = arena.allocate(maxBytes, 64).fill((byte) 1);
    }

    /** {@code count} epochs of each kind, with {@code factor} times as much computation as communication. */
    Overlap measure(boolean deferred, long bytes, double factor, int count) {
        Handle handle = deferred ? gas.deferredHandle() : gas.handle();
        long[] emptyNs = new long[count];
        long[] communicationNs = new long[count];
        for (int i = -count / 2; i < count; i++) {
            int at = Math.max(i, 0);
            emptyNs[at] = epoch(handle, 0, 0);
            communicationNs[at] = epoch(handle, bytes, 0);
        }
        double computeNs = factor * Sample.median(communicationNs);
        long[] computationNs = new long[count];
        long[] totalNs = new long[count];
        for (int i = -count / 4; i < count; i++) {
            int at = Math.max(i, 0);
            communicationNs[at] = epoch(handle, bytes, 0);
            computationNs[at] = epoch(handle, 0, computeNs);
            totalNs[at] = epoch(handle, bytes, computeNs);
        }
        return new Overlap(bytes, Sample.median(emptyNs), Sample.median(communicationNs),
            Sample.median(computationNs), Sample.median(totalNs));
    }

    private long epoch(Handle handle, long bytes, double computeNs) {
        long start = System.nanoTime();
        if (bytes > 0) {
            memory.nbPut(handle, target, 0, source, 0, bytes);
        }
        if (computeNs > 0) {
            computation.run(computeNs);
        }
        gas.fence(target);
        long end = System.nanoTime();
        handle.await();
        return end - start;
    }
}
