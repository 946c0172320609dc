package org.tributary.config;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * On which node each rank of a job is. Ranks of a node have an index, their place among them in ascending order.
 * Topologies are equal when every rank is on the same node.
 * <p>
 * A job in block order (node by node) or in cyclic order (in turn), of equal nodes and a million ranks, costs as much
 * as one of two ranks; any other order takes a few ints for each run of ranks on one node. Immutable.
 */
public final class Topology {
    private final Placement placement;

    private Topology(Placement placement) {
        this.placement = placement;
    }

    /** {@code nodes} nodes of {@code ranksPerNode} ranks each, in block order. */
    public static Topology uniform(int nodes, int ranksPerNode) {
        return new Topology(DealtRanks.block(new NodeCounts.Builder().add(nodes, ranksPerNode).build()));
    }

    /** One node for each argument, with that many ranks, in block order. */
    public static Topology of(int... ranksPerNode) {
        NodeCounts.Builder counts = new NodeCounts.Builder();
        Arrays.stream(ranksPerNode).forEach(ranks -> counts.add(1, ranks));
        return new Topology(DealtRanks.block(counts.build()));
    }

    /**
     * The node of each rank.
     *
     * @throws ConfigException unless nodes are numbered from 0 and each has a rank
     */
    public static Topology ofRanks(int... nodeOfRank) {
        ListedRanks.Builder ranks = new ListedRanks.Builder();
        Arrays.stream(nodeOfRank).forEach(node -> ranks.add(1, node));
        return new Topology(ranks.build());
    }

    /**
     * Reads one of these forms:
     * <ul>
     * <li>{@code 3,2,2}, a list of {@code [nodes*]ranks}: block order. {@code 1000*12,4} is a thousand nodes of twelve
     * ranks and one of four; {@code 12(x1000),4}, as Slurm writes it, is the same
     * <li>{@code cyclic:2*4}: ranks are dealt to the nodes in turn, except to those that are full
     * <li>{@code cyclic(2):2*4}: two at a time, which Slurm calls plane
     * <li>{@code map:2*0,1}, a list of {@code [ranks*]node}: the node of each rank, in order
     * </ul>
     *
     * @throws ConfigException for any other text
     */
    public static Topology parse(String text) {
        return new Topology(LayoutText.parse(text));
    }

    public int nodeCount() {
        return placement.counts().nodeCount();
    }

    public int rankCount() {
        return placement.counts().rankCount();
    }

    public int nodeOf(int rank) {
        return placement.nodeOf(checked(rank));
    }

    public int rankCount(int node) {
        return placement.counts().rankCount(checkedNode(node));
    }

    /** The rank of that index on the node, from 0 for its lowest rank. */
    public int rankAt(int node, int index) {
        return placement.rankAt(node, Objects.checkIndex(index, rankCount(node)));
    }

    /** Index of a rank on its node: how many ranks of the node are lower. */
    public int indexOf(int rank) {
        return placement.indexOf(checked(rank));
    }

    /** The lowest rank of {@code node}. */
    public int firstRank(int node) {
        return rankAt(node, 0);
    }

    /** The ranks of {@code node} in ascending order, gathered anew by each call. */
    public NodeRanks ranksOf(int node) {
        return new NodeRanks(IntStream.range(0, rankCount(node)).map(index -> placement.rankAt(node, index)).toArray());
    }

    /** How many ranks all nodes before {@code node} have. */
    public int ranksBelow(int node) {
        return node == nodeCount() ? rankCount() : placement.counts().ranksBelow(checkedNode(node));
    }

    /** The place of a rank when all are counted node by node; the rank itself in block order. */
    public int placeByNode(int rank) {
        return ranksBelow(nodeOf(rank)) + indexOf(rank);
    }

    /** As a message has it: the beginning of {@link #toString} where that is long. */
    public String shortened() {
        return LayoutText.shortened(toString());
    }

    /** The shortest form that {@link #parse} reads back as an equal topology. */
    @Override
    public String toString() {
        return placement.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Topology that && placement.equals(that.placement);
    }

    @Override
    public int hashCode() {
        return placement.hashCode();
    }

    private int checked(int rank) {
        return Objects.checkIndex(rank, rankCount());
    }

    private int checkedNode(int node) {
        return Objects.checkIndex(node, nodeCount());
    }
}
