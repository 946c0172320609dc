package org.tributary.launcher.link;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The tree in which agents are started: each starts some others, and these the rest. Up to 31 hosts there is one level;
 * otherwise each starts about the square root of what it has to.
 */
public final class Fan {
    private static final int MOST_WITHOUT_A_TREE = 31;

    private Fan() {
    }

    /** Consecutive nodes; the agent of the first is to start the others. */
    public record Range(int first, int count) {
        public int end() {
            return first + count;
        }

        public boolean has(int node) {
            return node >= first && node < end();
        }
    }

    /** How many agents one behind another the way to so many nodes has at most. */
    public static int levels(int count) {
        return count == 0 ? 0 : 1 + levels(of(0, count).stream().mapToInt(Range::count).max().orElseThrow() - 1);
    }

    /** Which hosts, of so many, are started from which others, by number: all but those that the launcher starts. */
    public static Map<Integer, List<Integer>> behind(int count) {
        Map<Integer, List<Integer>> behind = new TreeMap<>();
        of(0, count).forEach(range -> addBehind(range, behind));
        return behind;
    }

    private static void addBehind(Range range, Map<Integer, List<Integer>> to) {
        List<Range> next = of(range.first() + 1, range.count() - 1);
        if (!next.isEmpty()) {
            to.put(range.first(), next.stream().map(Range::first).toList());
            next.forEach(each -> addBehind(each, to));
        }
    }

    /** Splits nodes into the ranges that one launcher or agent starts, an agent for each; none of no nodes. */
    public static List<Range> of(int first, int count) {
        int links = count <= MOST_WITHOUT_A_TREE ? count : (int) Math.ceil(Math.sqrt(count));
        List<Range> ranges = new ArrayList<>();
        int next = first;
        for (int link = 0; link < links; link++) {
            int end = first + (int) ((long) count * (link + 1) / links);
            ranges.add(new Range(next, end - next));
            next = end;
        }
        return ranges;
    }
}
