package org.tributary.benchmarks.windows;

import java.util.Locale;

/**
 * What a ratio shall be.
 *
 * @param least whether the limit is the smallest ratio that will do; otherwise it is the largest
 */
record Reach(double limit, boolean least) {
    static Reach atMost(double limit) {
        return new Reach(limit, false);
    }

    static Reach atLeast(double limit) {
        return new Reach(limit, true);
    }

    boolean isMet(double ratio) {
        return least ? ratio >= limit : ratio <= limit;
    }

    /** For example {@code <= 1.50}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s %.2f", least ? ">=" : "<=", limit);
    }
}
