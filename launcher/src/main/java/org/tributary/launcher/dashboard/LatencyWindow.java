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
        add(counts, 1);
        if (window.size() > STEPS) {
            add(window.removeFirst(), -1);
        }
    }

    private void add(long[] counts, int sign) {
        for (int i = 0; i < sum.length; i++) {
            if (counts[i] != 0) { // as few are
                sum[i] += sign * counts[i];
            }
        }
    }

    /** Of the kinds that there were. */
    Map<LatencyKind, Histogram> histograms() {
        Map<LatencyKind, Histogram> found = new EnumMap<>(LatencyKind.class);
        for (LatencyKind kind : LatencyKind.values()) {
            int first = kind.ordinal() * Latencies.BUCKETS;
            for (int bucket = 0; bucket < Latencies.BUCKETS; bucket++) {
                if (sum[first + bucket] > 0) {
                    found.computeIfAbsent(kind, unseen -> new Histogram(1L << 6, LONGEST_NS, 1)) // as Latencies
                        .recordValueWithCount(Latencies.shortestNs(bucket), sum[first + bucket]);
                }
            }
        }
        return found;
    }
}
