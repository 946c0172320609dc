package org.tributary.benchmarks.measure;

import java.util.Arrays;
import java.util.Locale;

/**
 * Where the median of what is measured lies, by values that were measured independently: between two of them, as far
 * from the smallest as from the largest, and as close to each other as leaves it at least {@link #LEAST_SURE} likely.
 * Each value is below the median with probability 1/2, whatever the distribution is, so that a binomial distribution
 * says how likely that is. Fewer than five values never are: then all count.
 */
public record MedianInterval(double from, double to) {
    /** Least probability that the median lies between. */
    static final double LEAST_SURE = 0.9;

    /** By these values, at least one. */
    public static MedianInterval of(double... values) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        int left = leftOut(sorted.length);
        return new MedianInterval(sorted[left], sorted[sorted.length - 1 - left]);
    }

    /** How many values are left out at each end. */
    static int leftOut(int count) {
        double term = Math.pow(0.5, count); // so likely it is that exactly `left` values are below the median
        double below = term; // or at most so many
        int left = 0;
        while (left + 1 < (count + 1) / 2) {
            term *= (double) (count - left) / (left + 1);
            below += term;
            if (1 - 2 * below < LEAST_SURE) {
                break;
            }
            left++;
        }
        return left;
    }

    /** Whether all in it reach the aim; null when only a part does. */
    public Boolean isMet(Reach aim) {
        return aim.isMet(from, to);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.4f to %.4f", from, to);
    }
}
