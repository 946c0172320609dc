package org.tributary.miniapps.exchange;

import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.wire.shape.ReduceOp;

/**
 * Computation that takes a given time on a free core: passes over numbers that stay in the first-level cache. It is an
 * amount of work, the same in each step and on every rank, and not a wait for a clock, so that a core that is taken
 * away for communication makes it longer.
 */
public final class Workload {
    private static final int NUMBERS = 256;
    private static final int TRIALS = 200;
    private static final int PASSES_PER_TRIAL = 500;

    private final double[] numbers = new double[NUMBERS];
    private final long passes;

    /** Measures how fast passes are; collective. All ranks do the same amount of work. */
    public Workload(Gas gas, double microseconds) {
        Arrays.setAll(numbers, i -> i / (double) NUMBERS);
        if (microseconds == 0) {
            passes = 0;
            return;
        }
        double fastestNs = Double.POSITIVE_INFINITY;
        for (int trial = 0; trial < TRIALS; trial++) {
            long startNs = System.nanoTime();
            compute(PASSES_PER_TRIAL);
            fastestNs = Math.min(fastestNs, System.nanoTime() - startNs);
        }
        double nsPerPass = gas.world().allreduce(ReduceOp.MIN, fastestNs / PASSES_PER_TRIAL);
        passes = Math.max(1, Math.round(microseconds * 1e3 / nsPerPass));
    }

    /** Does the work of one step. */
    public void compute() {
        compute(passes);
    }

    private void compute(long count) {
        for (long pass = 0; pass < count; pass++) {
            for (int i = 0; i < NUMBERS; i++) {
                numbers[i] = 0.5 * numbers[i] * numbers[i] + 0.25; // converges slowly to 1 - sqrt(0.5)
            }
        }
    }

    /** Whether the numbers are still such as the computation keeps them. */
    public boolean isSound() {
        return Arrays.stream(numbers).allMatch(number -> number >= 0 && number <= 1);
    }
}
