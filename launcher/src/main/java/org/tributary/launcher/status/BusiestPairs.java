package org.tributary.launcher.status;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerCounts.Pair;

/**
 * Leaves of the pairs of a node those that were busiest since it was asked before, and sums the others: what all nodes
 * tell in a step fits the heap of a launcher, however many nodes there are. Thread-safe.
 */
public final class BusiestPairs {
    /** Of all nodes together. */
    public static final int MOST_OF_JOB = 1 << 16;
    /** Of a node of a very large job. */
    private static final int LEAST_OF_NODE = 8;
    private static final int NOBODY = -1;

    private ServerCounts earlier = ServerCounts.NONE;
    private ServerCounts latest = ServerCounts.NONE;

    /** So many pairs of each node are told. */
    public static int limit(int jobNodes) {
        return Math.clamp(MOST_OF_JOB / Math.max(1, jobNodes), LEAST_OF_NODE, ServerCounts.MAX_PAIRS);
    }

    /** The same snapshot with no more pairs than that, and one of all others. */
    public synchronized NodeSnapshot of(NodeSnapshot node) {
        ServerCounts counts = node.counts();
        int limit = limit(node.status().jobNodes());
        if (counts.pairs().size() <= limit + 1) {
            return node;
        }
        if (counts.atNs() != latest.atNs()) {
            earlier = latest;
            latest = counts;
        }
        Map<Long, Long> before = new HashMap<>();
        earlier.pairs().forEach(pair -> before.put(key(pair), pair.requests()));
        List<Pair> named = new ArrayList<>(counts.pairs());
        named.removeIf(pair -> pair.requester() < 0);
        named.sort(Comparator
            .comparingLong((Pair pair) -> before.getOrDefault(key(pair), 0L) - pair.requests())
            .thenComparingLong(pair -> -pair.requests()).thenComparingLong(BusiestPairs::key));
        List<Pair> told = new ArrayList<>(named.subList(0, limit));
        long requests = counts.pairs().stream().mapToLong(Pair::requests).sum();
        long bytes = counts.pairs().stream().mapToLong(Pair::bytes).sum();
        for (Pair pair : told) {
            requests -= pair.requests();
            bytes -= pair.bytes();
        }
        told.sort(Comparator.comparingLong(BusiestPairs::key));
        told.add(new Pair(NOBODY, NOBODY, requests, bytes));
        return new NodeSnapshot(node.status(), node.details(),
            new ServerCounts(counts.atNs(), counts.operations(), counts.gauges(), told), node.latencies());
    }

    private static long key(Pair pair) {
        return (long) pair.requester() << Integer.SIZE | Integer.toUnsignedLong(pair.target());
    }
}
