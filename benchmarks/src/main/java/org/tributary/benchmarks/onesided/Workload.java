package org.tributary.benchmarks.onesided;

import java.util.List;

/**
 * Operations to be measured, with their sizes, the routes to targets, and the states of targets.
 *
 * @param iterations for operations up to 8 KiB; larger ones take fewer
 */
record Workload(List<Op> ops, List<Long> sizes, List<Route> routes, List<TargetState> states, int iterations,
                Rows rows) {
    private static final long MIN_BYTES = 4 << 20;

    Workload {
        ops = List.copyOf(ops);
        sizes = List.copyOf(sizes);
        routes = List.copyOf(routes);
        states = List.copyOf(states);
    }

    /** Global memory that a target needs, at least as much as the memory-copy limit copies. */
    long bytesAtTarget() {
        long largest = sizes.stream().mapToLong(Long::longValue).max().orElse(MIN_BYTES);
        return Math.max(Math.max(largest, rows.span()), MIN_BYTES);
    }
}
