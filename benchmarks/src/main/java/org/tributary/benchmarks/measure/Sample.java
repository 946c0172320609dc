package org.tributary.benchmarks.measure;

import java.util.Arrays;

/**
 * Statistics of the times of many iterations of one operation. Their percentiles are nearest-rank: a time that
 * occurred, never one between two.
 *
 * @param iterations how many were timed
 * @param totalNs    from before the first to after the last, what completes them all included
 * @param firstNs    the very first, before the warm-up; 0 when it was not measured
 */
public record Sample(int iterations, long medianNs, long p99Ns, long maxNs, long totalNs, long firstNs) {
    private static final double NS_PER_US = 1_000.0;
    private static final double NS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MB = 1e6;

    /** From the first {@code count} times, which are sorted in place. */
    public static Sample of(long[] timesNs, int count, long totalNs, long firstNs) {
        if (count < 1 || count > timesNs.length) {
            throw new IllegalArgumentException(count + " iterations among " + timesNs.length + " times");
        }
        Arrays.sort(timesNs, 0, count);
        return new Sample(count, timesNs[rank(count, 0.50)], timesNs[rank(count, 0.99)], timesNs[count - 1], totalNs,
            firstNs);
    }

    /** Of two in the middle, their mean. */
    public static long median(long... values) {
        return Math.round(median(Arrays.stream(values).asDoubleStream().toArray()));
    }

    /** Of two in the middle, their mean. */
    public static double median(double... values) {
        return Arrays.stream(values).sorted().skip((values.length - 1) / 2).limit(2 - values.length % 2).average()
            .orElseThrow();
    }

    private static int rank(int count, double quantile) {
        return Math.max(0, (int) Math.ceil(quantile * count) - 1);
    }

    /** The same, but for the longest time. */
    public Sample withMaxNs(long newMaxNs) {
        return new Sample(iterations, medianNs, p99Ns, newMaxNs, totalNs, firstNs);
    }

    public double medianUs() {
        return medianNs / NS_PER_US;
    }

    /** All the time, by iteration. */
    public double meanUs() {
        return totalNs / NS_PER_US / iterations;
    }

    /** The very first iteration, NaN when it was not measured. */
    public double firstUs() {
        return firstNs == 0 ? Double.NaN : firstNs / NS_PER_US;
    }

    /** 99 % of the iterations took no longer. */
    public double p99Us() {
        return p99Ns / NS_PER_US;
    }

    public double maxUs() {
        return maxNs / NS_PER_US;
    }

    /** How often a second something happened that happens {@code perIteration} times an iteration. */
    public double perSecond(double perIteration) {
        return perIteration * iterations * NS_PER_SECOND / totalNs;
    }

    /** Bandwidth in MB/s (10^6 bytes) by all the time, when each iteration moves {@code bytes}. */
    public double mbPerSecond(double bytes) {
        return perSecond(bytes) / BYTES_PER_MB;
    }

    /** Bandwidth in MB/s (10^6 bytes) of the median iteration when each moves {@code bytes}. */
    public double medianMbPerSecond(long bytes) {
        return bytes * NS_PER_US / medianNs;
    }
}
