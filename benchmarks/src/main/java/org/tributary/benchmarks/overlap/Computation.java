package org.tributary.benchmarks.overlap;

import java.util.Arrays;

/**
 * Computation of a given amount: dependent floating-point operations in registers. An amount, not a time, so that a
 * computation which has to share its core takes longer and counts no more.
 */
final class Computation {
    private static final int CALIBRATION_STEPS = 20_000;
    private static final int CALIBRATIONS = 2_001;

    private final double stepsPerNs;
    /** What was computed, kept so that no compiler can leave it out. */
    private double value = 1.0;

    /** Finds out how fast this machine is. */
    Computation() {
        long[] timesNs = new long[CALIBRATIONS];
        for (int i = 0; i < CALIBRATIONS; i++) {
            long start = System.nanoTime();
            run(CALIBRATION_STEPS);
            timesNs[i] = System.nanoTime() - start;
        }
        Arrays.sort(timesNs);
        stepsPerNs = (double) CALIBRATION_STEPS / timesNs[CALIBRATIONS / 2];
    }

    /** How many steps take that long on a core of their own. */
    int steps(double durationNs) {
        return (int) Math.round(durationNs * stepsPerNs);
    }

    void run(int steps) {
        double x = value;
        for (int i = 0; i < steps; i++) {
            x = x * 0.999999 + 1e-6;
        }
        value = x;
    }
}
