package org.tributary.benchmarks.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tributary.benchmarks.measure.Computation;

/**
 * A target that computes: it never calls the library, and looks about once a millisecond at a word of its own memory
 * into which the origin puts the number of the phase to stop.
 */
final class ComputeLoop {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    /** About a millisecond of dependent floating-point operations. */
    private static final int STEPS = 400_000;

    private final MemorySegment memory;
    private final long flagOffset;
    private double value = 1.0;

    ComputeLoop(MemorySegment memory, long flagOffset) {
        this.memory = memory;
        this.flagOffset = flagOffset;
    }

    /**
     * Computes until the flag is at least {@code phase}; the flag's partner is the server's store of the origin's put.
     *
     * @return what was computed, so that no compiler can leave it out
     * @throws TimeoutException when the origin never says stop
     */
    double runUntil(long phase, long limitSeconds) throws TimeoutException {
        long start = System.nanoTime();
        while ((long) LONG.getVolatile(memory, flagOffset) < phase) {
            value = Computation.compute(value, STEPS);
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(limitSeconds)) {
                throw new TimeoutException("rank 0 did not end phase " + phase + " within " + limitSeconds + " s");
            }
        }
        return value;
    }
}
