package org.tributary.launcher.step;

import java.util.List;
import java.util.Map;

/**
 * The part of the matrix of traffic that a page shows.
 *
 * @param ranks whether the ranges are places of ranks, not indexes of nodes
 * @param rows  those that send requests
 * @param columns those whose memory the requests are for
 */
public record View(boolean ranks, Range rows, Range columns) {
    /** All nodes. */
    public static final View ALL = new View(false, Range.ALL, Range.ALL);

    /** From one place to before another. */
    public record Range(int from, int to) {
        public static final Range ALL = new Range(0, Integer.MAX_VALUE);

        /** Within so many places; never empty unless there are none. */
        Range within(int count) {
            int first = Math.clamp(from, 0, Math.max(0, count - 1));
            return new Range(first, Math.clamp(to, Math.min(first + 1, count), count));
        }

        int size() {
            return to - from;
        }
    }

    /** The view of a query such as {@code level=ranks&rows=0-8&columns=8-16}; what makes no sense there shows all. */
    public static View of(Map<String, List<String>> query) {
        return new View(query.getOrDefault("level", List.of("")).contains("ranks"), range(query.get("rows")),
            range(query.get("columns")));
    }

    private static Range range(List<String> values) {
        String[] ends = values == null ? new String[0] : values.getFirst().split("-");
        try {
            return ends.length == 2 ? new Range(Integer.parseInt(ends[0]), Integer.parseInt(ends[1])) : Range.ALL;
        } catch (NumberFormatException e) {
            return Range.ALL;
        }
    }
}
