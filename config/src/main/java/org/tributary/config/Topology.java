package org.tributary.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * How the ranks of a job are spread over its nodes: node 0 holds the first ranks, node 1 the next, and so on.
 * <p>
 * Nodes with equal numbers of ranks that follow each other are held as one run, so a uniform job of a million ranks
 * costs as much as one of two.
 */
public final class Topology {
    private final int[] runFirstNode;
    private final int[] runFirstRank;
    private final int[] runRanksPerNode;
    private final int nodeCount;
    private final int rankCount;

    private Topology(List<Run> runs) {
        List<Run> merged = merge(runs);
        runFirstNode = new int[merged.size()];
        runFirstRank = new int[merged.size()];
        runRanksPerNode = new int[merged.size()];
        long nodes = 0;
        long ranks = 0;
        for (int i = 0; i < merged.size(); i++) {
            Run run = merged.get(i);
            runFirstNode[i] = (int) nodes;
            runFirstRank[i] = (int) ranks;
            runRanksPerNode[i] = run.ranksPerNode;
            nodes += run.nodes;
            ranks += (long) run.nodes * run.ranksPerNode;
            if (ranks > Integer.MAX_VALUE) {
                throw new ConfigException("a job of " + ranks + " ranks is too large:"
                    + " the limit is " + Integer.MAX_VALUE);
            }
        }
        nodeCount = (int) nodes;
        rankCount = (int) ranks;
    }

    /** {@code nodes} nodes of {@code ranksPerNode} ranks each. */
    public static Topology uniform(int nodes, int ranksPerNode) {
        return new Topology(List.of(new Run(nodes, ranksPerNode)));
    }

    /** One node for each argument, with that many ranks. */
    public static Topology of(int... ranksPerNode) {
        return new Topology(Arrays.stream(ranksPerNode).mapToObj(ranks -> new Run(1, ranks)).toList());
    }

    /**
     * Reads a comma-separated list of {@code [nodes*]ranks}: {@code "2*4"} is two nodes of four ranks, {@code "3,2,2"}
     * three nodes, {@code "1000*12,4"} a thousand nodes of twelve and one of four.
     */
    public static Topology parse(String text) {
        List<Run> runs = new ArrayList<>();
        for (String item : text.split(",", -1)) {
            int star = item.indexOf('*');
            runs.add(new Run(
                star < 0 ? 1 : number(item.substring(0, star), text),
                number(item.substring(star + 1), text)));
        }
        return new Topology(runs);
    }

    public int nodeCount() {
        return nodeCount;
    }

    public int rankCount() {
        return rankCount;
    }

    public int nodeOf(int rank) {
        Objects.checkIndex(rank, rankCount);
        int run = runOf(runFirstRank, rank);
        return runFirstNode[run] + (rank - runFirstRank[run]) / runRanksPerNode[run];
    }

    /** The lowest rank of {@code node}; its ranks are consecutive. */
    public int firstRank(int node) {
        Objects.checkIndex(node, nodeCount);
        int run = runOf(runFirstNode, node);
        return runFirstRank[run] + (node - runFirstNode[run]) * runRanksPerNode[run];
    }

    public int rankCount(int node) {
        Objects.checkIndex(node, nodeCount);
        return runRanksPerNode[runOf(runFirstNode, node)];
    }

    /** The shortest form that {@link #parse} reads back as an equal topology. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < runFirstNode.length; i++) {
            int nodes = (i + 1 < runFirstNode.length ? runFirstNode[i + 1] : nodeCount) - runFirstNode[i];
            text.append(i == 0 ? "" : ",").append(nodes == 1 ? "" : nodes + "*").append(runRanksPerNode[i]);
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Topology that
            && nodeCount == that.nodeCount
            && Arrays.equals(runFirstNode, that.runFirstNode)
            && Arrays.equals(runRanksPerNode, that.runRanksPerNode);
    }

    @Override
    public int hashCode() {
        return Objects.hash(nodeCount, Arrays.hashCode(runFirstNode), Arrays.hashCode(runRanksPerNode));
    }

    private int runOf(int[] firsts, int value) {
        if (firsts.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(firsts, value);
        return found >= 0 ? found : -found - 2;
    }

    private static List<Run> merge(List<Run> runs) {
        if (runs.isEmpty()) {
            throw new ConfigException("a job needs at least one node");
        }
        List<Run> merged = new ArrayList<>();
        for (Run run : runs) {
            Run last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && last.ranksPerNode == run.ranksPerNode
                && (long) last.nodes + run.nodes <= Integer.MAX_VALUE) {
                merged.set(merged.size() - 1, new Run(last.nodes + run.nodes, run.ranksPerNode));
            } else {
                merged.add(run);
            }
        }
        return merged;
    }

    private static int number(String digits, String text) {
        try {
            return Integer.parseInt(digits.strip());
        } catch (NumberFormatException e) {
            throw new ConfigException("layout '" + text + "' is not a comma-separated list of [nodes*]ranks: '" + digits
                + "' is not a number");
        }
    }

    private record Run(int nodes, int ranksPerNode) {
        Run {
            if (nodes < 1) {
                throw new ConfigException("a job needs at least one node, not " + nodes);
            }
            if (ranksPerNode < 1) {
                throw new ConfigException("a node needs at least one rank, not " + ranksPerNode);
            }
        }
    }
}
