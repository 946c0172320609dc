package org.tributary.launcher.dashboard;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.tributary.launcher.dashboard.NodeRates.PairRate;
import org.tributary.launcher.dashboard.NodeRates.Rate;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.ProcessState;

/**
 * A job at one moment.
 *
 * @param timeMs    of the day
 * @param nodes     that were there, in order
 * @param rates     by node
 * @param latencies of the last steps
 * @param problems  of nodes that are not there, one a line
 */
record Step(long timeMs, String jobId, List<NodeSnapshot> nodes, Map<Integer, NodeRates> rates, JobStatus status,
            Map<LatencyKind, Histogram> latencies, List<String> problems) {

    /** What a rank is asked for by all others. */
    record Target(int rank, int node, Rate rate) {
    }

    NodeRates ratesOf(int node) {
        return rates.getOrDefault(node, NodeRates.NONE);
    }

    /** All nodes together. */
    Rate total() {
        return rates.values().stream().map(NodeRates::total).reduce(Rate.NONE, Rate::plus);
    }

    /** All nodes together, by the code of the operation. */
    Rate[] operations(int count) {
        Rate[] sums = new Rate[count];
        Arrays.fill(sums, Rate.NONE);
        for (NodeRates node : rates.values()) {
            for (int i = 0; i < Math.min(count, node.operations().size()); i++) {
                sums[i] = sums[i].plus(node.operations().get(i));
            }
        }
        return sums;
    }

    /** Who asks whom, without what is not known by rank. */
    Stream<PairRate> pairs() {
        return rates.values().stream().flatMap(node -> node.pairs().stream())
            .filter(pair -> pair.requester() >= 0 && pair.target() >= 0);
    }

    /** What is not known by rank: of each node only the busiest pairs are told one by one. */
    Rate others() {
        return rates.values().stream().flatMap(node -> node.pairs().stream())
            .filter(pair -> pair.requester() < 0 || pair.target() < 0).map(PairRate::rate)
            .reduce(Rate.NONE, Rate::plus);
    }

    /** Whether a server may still run: not when all were killed, which leaves their files. */
    boolean isServed() {
        return nodes.isEmpty() || nodes.stream().anyMatch(node -> node.status().server() != ProcessState.GONE);
    }

    /** The ranks that are asked most often. */
    List<Target> hottest(int limit) {
        Map<Integer, Rate> byTarget = new TreeMap<>();
        pairs().forEach(pair -> byTarget.merge(pair.target(), pair.rate(), Rate::plus));
        RankOrder order = new RankOrder(nodes);
        return byTarget.entrySet().stream()
            .sorted(Comparator.comparingDouble((Map.Entry<Integer, Rate> target) -> -target.getValue().requests()))
            .limit(limit).map(target -> new Target(target.getKey(), order.nodeOf(target.getKey()), target.getValue()))
            .toList();
    }
}
