package org.tributary.benchmarks.windows;

import org.tributary.config.ConfigException;

/**
 * How long contests last.
 *
 * @param warmUpNs at least, before anything counts
 * @param timedNs  at least, unless there are enough rounds before
 */
record Effort(long warmUpNs, long timedNs) {
    private static final double NS_PER_SECOND = 1e9;
    private static final double MOST_SECONDS = 600;
    private static final int WARM_UP_PART = 3;
    private static final int FEWEST_ROUNDS = 7;
    /** A user who gives a contest less than this wants to see that it works. */
    private static final long TRIAL_NS = 5_000_000;

    /** A contest of that length, the shortest warm-up included. */
    static Effort ofSeconds(double seconds) {
        if (!(seconds > 0 && seconds <= MOST_SECONDS)) {
            throw new ConfigException("a contest takes between 0 and " + MOST_SECONDS + " s, not " + seconds);
        }
        long ns = (long) (seconds * NS_PER_SECOND);
        return new Effort(ns / WARM_UP_PART, ns - ns / WARM_UP_PART);
    }

    /** Rounds that a contest has however long they take. */
    int fewestRounds() {
        return timedNs < TRIAL_NS ? 2 : FEWEST_ROUNDS;
    }

    /** A shorter contest. */
    Effort dividedBy(int divisor) {
        return new Effort(warmUpNs / divisor, timedNs / divisor);
    }
}
