package org.tributary.launcher.step;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.Words;

/**
 * Makes rates of the snapshots of nodes. Remembers of each node what it told last, so that one that has told nothing
 * new shows its last rates for a while, and one that was late for a step has its rates again in the next. For one page,
 * whose calls are counted from its last step on.
 */
public final class NodeSteps {
    /** A server tells at least each second. */
    private static final long SILENT_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long FORGOTTEN_NS = TimeUnit.MINUTES.toNanos(1);
    /** A job has one, and files that were overwritten may say any. */
    private static final int MOST_LAYOUTS = 8;

    private final LongSupplier clock;
    private final Map<Integer, Told> last = new HashMap<>();
    private List<String> silent = List.of();
    /** By layout, which all nodes have in common. */
    private final Map<String, Optional<RankOrder>> orders = new HashMap<>();

    public NodeSteps() {
        this(System::nanoTime);
    }

    NodeSteps(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * What a node has told last.
     *
     * @param seenNs when that was read
     * @param newNs  when its counts were new
     * @param rates  of these counts
     */
    private record Told(NodeSnapshot node, long seenNs, long newNs, NodeRates rates) {
    }

    /** These nodes are all there are; each is told whole. */
    public Digest next(String job, Iterable<NodeSnapshot> nodes) {
        Set<Integer> seen = new TreeSet<>();
        List<Digest> digests = new ArrayList<>();
        for (NodeSnapshot node : nodes) {
            if (seen.add(node.status().node())) {
                digests.add(next(node, node.status().layout()));
            }
        }
        long nowNs = clock.getAsLong();
        last.values().removeIf(told -> nowNs - told.seenNs > FORGOTTEN_NS);
        silent = silent(seen, nowNs);
        Digest all = Digest.of(job, digests);
        order(all.layout(), all.jobNodes(), all.jobRanks()).ifPresent(all::setOrder);
        return all;
    }

    private Optional<RankOrder> order(String layout, int jobNodes, int jobRanks) {
        if (orders.size() > MOST_LAYOUTS) {
            orders.clear();
        }
        return orders.computeIfAbsent(layout, text -> RankOrder.of(text, jobNodes, jobRanks));
    }

    private List<String> silent(Set<Integer> seen, long nowNs) {
        List<String> lines = new ArrayList<>();
        for (int node : seen) {
            Told told = last.get(node);
            if (told.node.status().server().isActive() && nowNs - told.newNs >= SILENT_NS) {
                lines.add("the server of node " + node + " has told no counts for " + Words.age(nowNs - told.newNs));
            }
        }
        return lines;
    }

    /** Those of the last nodes whose servers should tell counts and do not, in words. */
    public List<String> silent() {
        return silent;
    }

    /**
     * The part of one node in a large job.
     *
     * @param layout of the job
     * @return nothing when it tells more, whole: the job is small, or the layout is not known
     */
    public Optional<Digest> sum(NodeSnapshot node, String layout, Asked asked) {
        boolean isLarge = Digest.isLarge(node.status().jobNodes(), node.status().jobRanks());
        Optional<RankOrder> order = !isLarge ? Optional.empty()
            : order(layout, node.status().jobNodes(), node.status().jobRanks());
        return order.map(known -> {
            Digest digest = next(node, layout);
            digest.sum(asked, known);
            return digest;
        });
    }

    private Digest next(NodeSnapshot node, String layout) {
        int number = node.status().node();
        long nowNs = clock.getAsLong();
        Told before = last.get(number);
        if (before == null || before.node.status().serverPid() != node.status().serverPid()) {
            last.put(number, new Told(node, nowNs, nowNs, NodeRates.NONE));
            return Digest.of(node, layout, NodeRates.NONE);
        }
        boolean isNew = before.node.counts().atNs() != node.counts().atNs();
        Told now = new Told(node, nowNs, isNew ? nowNs : before.newNs,
            isNew ? NodeRates.between(before.node.counts(), node.counts()) : before.rates);
        last.put(number, now);
        boolean isSilent = nowNs - now.newNs >= SILENT_NS || !node.status().server().isActive();
        return Digest.of(node, layout, isSilent ? NodeRates.NONE : now.rates,
            newCalls(before.node.latencies(), node.latencies()));
    }

    /** Counts wrap around; one that goes back was overwritten. */
    private static int[] newCalls(int[] before, int[] now) {
        int[] calls = new int[now.length];
        for (int i = 0; i < calls.length; i++) {
            if (now[i] != before[i]) {
                calls[i] = Math.max(0, now[i] - before[i]);
            }
        }
        return calls;
    }
}
