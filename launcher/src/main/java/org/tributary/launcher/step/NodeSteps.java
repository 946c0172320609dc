package org.tributary.launcher.step;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tributary.wire.status.NodeSnapshot;

/**
 * Makes rates of the snapshots of nodes. Remembers of each node what it told last, so that one that has told nothing
 * new shows its last rates. For one page, whose calls are counted from its last step on.
 */
public final class NodeSteps {
    private final Map<Integer, NodeSnapshot> last = new HashMap<>();
    private final Map<Integer, NodeRates> rates = new HashMap<>();
    /** By layout, which all nodes have in common. */
    private final Map<String, Optional<RankOrder>> orders = new HashMap<>();

    /** These nodes are all there are; each is told whole. */
    public Digest next(String job, Iterable<NodeSnapshot> nodes) {
        Map<Integer, NodeSnapshot> seen = new HashMap<>();
        List<Digest> digests = new ArrayList<>();
        for (NodeSnapshot node : nodes) {
            if (seen.put(node.status().node(), node) == null) {
                digests.add(next(node, node.status().layout()));
            }
        }
        last.keySet().retainAll(seen.keySet());
        rates.keySet().retainAll(seen.keySet());
        return Digest.of(job, digests);
    }

    /**
     * The part of one node in a large job.
     *
     * @param layout of the job
     * @return nothing when it tells more, whole: the job is small, or the layout is not known
     */
    public Optional<Digest> sum(NodeSnapshot node, String layout, Asked asked) {
        boolean isLarge = Digest.isLarge(node.status().jobNodes(), node.status().jobRanks());
        Optional<RankOrder> order = !isLarge ? Optional.empty() : orders.computeIfAbsent(layout,
                text -> RankOrder.of(text, node.status().jobNodes(), node.status().jobRanks()));
        return order.map(known -> {
            Digest digest = next(node, layout);
            digest.sum(asked, known);
            return digest;
        });
    }

    private Digest next(NodeSnapshot node, String layout) {
        int number = node.status().node();
        NodeSnapshot before = last.put(number, node);
        if (before == null || before.status().serverPid() != node.status().serverPid()) {
            rates.put(number, NodeRates.NONE);
            return Digest.of(node, layout, NodeRates.NONE);
        }
        if (before.counts().atNs() != node.counts().atNs()) {
            rates.put(number, NodeRates.between(before.counts(), node.counts()));
        }
        return Digest.of(node, layout, rates.get(number), newCalls(before.latencies(), node.latencies()));
    }

    /** Counts wrap around; one that goes back was overwritten. */
    private static int[] newCalls(int[] before, int[] now) {
        int[] calls = new int[now.length];
        for (int i = 0; i < calls.length; i++) {
            calls[i] = Math.max(0, now[i] - before[i]);
        }
        return calls;
    }
}
