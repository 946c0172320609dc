package org.tributary.benchmarks.measure;

import java.util.Locale;

/**
 * An aim for a ratio or a rate: a limit to reach, or one not to exceed.
 *
 * @param least whether the limit is the smallest ratio that will do; otherwise it is the largest
 */
public record Reach(double limit, boolean least) {
    public static Reach atMost(double limit) {
        return new Reach(limit, false);
    }

    public static Reach atLeast(double limit) {
        return new Reach(limit, true);
    }

    /** Whether the ratio is such. */
    public boolean isMet(double ratio) {
        return least ? ratio >= limit : ratio <= limit;
    }

    /** Whether all ratios from one to another are such; null when only some of them are. */
    public Boolean isMet(double from, double to) {
        boolean isFirst = isMet(from);
        return isFirst == isMet(to) ? Boolean.valueOf(isFirst) : null;
    }

    /** For example {@code <= 1.50}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s %.2f", least ? ">=" : "<=", limit);
    }
}
