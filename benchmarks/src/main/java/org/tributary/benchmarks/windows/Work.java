package org.tributary.benchmarks.windows;

/**
 * Computation of a wanted length: an amount of work that takes so long on a free core, not a wait for a clock, so
 * that a core that is taken away for communication makes it longer. Touches no memory.
 */
final class Work {
    private static final int TRIALS = 200;
    private static final int STEPS_PER_TRIAL = 20_000;

    private final double stepsPerNs;
    /** What has been computed, kept so that no compiler can leave it out. */
    private double value = 1.0;

    private Work(double stepsPerNs) {
        this.stepsPerNs = stepsPerNs;
    }

    /** Measures how fast this core is. */
    static Work calibrate() {
        Work trial = new Work(1);
        long fastestNs = Long.MAX_VALUE;
        for (int i = 0; i < TRIALS; i++) {
            long before = System.nanoTime();
            trial.run(STEPS_PER_TRIAL);
            fastestNs = Math.min(fastestNs, System.nanoTime() - before);
        }
        return new Work((double) STEPS_PER_TRIAL / Math.max(fastestNs, 1));
    }

    /** Computes as long as {@code ns} take on a free core. */
    void run(double ns) {
        value = compute(value, (long) (ns * stepsPerNs));
    }

    private static double compute(double start, long steps) {
        double x = start;
        for (long i = 0; i < steps; i++) {
            x = x * 0.999999 + 1e-6; // stays 1, each step after the one before
        }
        return x;
    }
}
