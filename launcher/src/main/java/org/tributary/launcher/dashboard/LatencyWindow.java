package org.tributary.launcher.dashboard;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.LatencyKind;

/** How long calls of all ranks took in the last steps, as histograms. Owned by the thread that takes steps. */
final class LatencyWindow {
    /** Steps that count. */
    static final int STEPS = 10;
    private static final long LONGEST_NS = 1L << 38;

    private final Deque<long[]> window = new ArrayDeque<>();
    private final long[] sum = new long[Latencies.BYTES / Integer.BYTES];

    /** A new step, whose counts are by kind and bucket; the oldest is forgotten. */
    void add(long[] counts) {
        window.addLast(counts);
        for (int i = 0; i < sum.length; i++) {
            sum[i] += counts[i];
        }
        if (window.size() > STEPS) {
            long[] oldest = window.removeFirst();
            for (int i = 0; i < sum.length; i++) {
                sum[i] -= oldest[i];
            }
        }
    }

    /** Of the kinds that there were. */
    Map<LatencyKind, Histogram> histograms() {
        Map<LatencyKind, Histogram> found = new EnumMap<>(LatencyKind.class);
        for (LatencyKind kind : LatencyKind.values()) {
            Histogram histogram = new Histogram(1L << 6, LONGEST_NS, 1); // the buckets of Latencies
            for (int bucket = 0; bucket < Latencies.BUCKETS; bucket++) {
                long count = sum[kind.ordinal() * Latencies.BUCKETS + bucket];
                if (count > 0) {
                    histogram.recordValueWithCount(Latencies.shortestNs(bucket), count);
                }
            }
            if (histogram.getTotalCount() > 0) {
                found.put(kind, histogram);
            }
        }
        return found;
    }
}
