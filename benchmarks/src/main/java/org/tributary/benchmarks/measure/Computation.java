package org.tributary.benchmarks.measure;

import java.util.Arrays;

/**
 * Computation of a given amount: dependent floating-point operations in registers. An amount, not a time, so that a
 * computation which has to share its core takes longer and counts no more.
 */
public final class Computation {
    private static final int STEPS_PER_TRIAL = 20_000;

    private final double stepsPerNs;
    /** Result of the computation, kept so that no compiler can leave it out. */
    private double value = 1.0;

    /**
     * Finds out how fast this core is.
     *
     * @param quickest which of the trials counts, 0 for the quickest
     */
    public Computation(int trials, int quickest) {
        long[] timesNs = new long[trials];
        for (int i = 0; i < trials; i++) {
            long start = System.nanoTime();
            value = compute(value, STEPS_PER_TRIAL);
            timesNs[i] = System.nanoTime() - start;
        }
        Arrays.sort(timesNs);
        stepsPerNs = (double) STEPS_PER_TRIAL / Math.max(timesNs[quickest], 1);
    }

    /** Computes as long as {@code ns} take on a core of its own. */
    public void run(double ns) {
        value = compute(value, (long) (ns * stepsPerNs));
    }

    /** So many steps, each after the one before; a value of 1 stays about 1. */
    public static double compute(double start, long steps) {
        double x = start;
        for (long i = 0; i < steps; i++) {
            x = x * 0.999999 + 1e-6;
        }
        return x;
    }
}
