package org.tributary.config;

import java.util.Arrays;
import org.agrona.collections.IntArrayList;

/** How many ranks each node has. Nodes in a row with equal numbers are one run. Immutable. */
final class NodeCounts {
    private final int[] firstNode;
    /** Ranks of all nodes below the first of a run. */
    private final int[] ranksBelow;
    private final int[] ranksPerNode;
    private final int nodeCount;
    private final int rankCount;

    private NodeCounts(Builder builder) {
        firstNode = builder.firstNode.toIntArray();
        ranksBelow = builder.ranksBelow.toIntArray();
        ranksPerNode = builder.ranksPerNode.toIntArray();
        nodeCount = builder.nodes;
        rankCount = builder.ranks;
    }

    int nodeCount() {
        return nodeCount;
    }

    int rankCount() {
        return rankCount;
    }

    int rankCount(int node) {
        return ranksPerNode[floor(firstNode, node)];
    }

    /** Ranks of all nodes before this one. */
    int ranksBelow(int node) {
        int run = floor(firstNode, node);
        return ranksBelow[run] + (node - firstNode[run]) * ranksPerNode[run];
    }

    int runs() {
        return firstNode.length;
    }

    int firstNode(int run) {
        return firstNode[run];
    }

    int nodes(int run) {
        return (run + 1 < firstNode.length ? firstNode[run + 1] : nodeCount) - firstNode[run];
    }

    int ranksPerNode(int run) {
        return ranksPerNode[run];
    }

    /** The place of the last value that is not above the given one; the first value never is. */
    static int floor(int[] ascending, int value) {
        if (ascending.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(ascending, value);
        return found >= 0 ? found : -found - 2;
    }

    /** A comma-separated list of {@code [nodes*]ranks}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int run = 0; run < runs(); run++) {
            text.append(run == 0 ? "" : ",").append(nodes(run) == 1 ? "" : nodes(run) + "*").append(ranksPerNode[run]);
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeCounts that && nodeCount == that.nodeCount
            && Arrays.equals(firstNode, that.firstNode) && Arrays.equals(ranksPerNode, that.ranksPerNode);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(firstNode) + Arrays.hashCode(ranksPerNode) + nodeCount;
    }

    /** Takes the nodes in order. */
    static final class Builder {
        private final IntArrayList firstNode = new IntArrayList();
        private final IntArrayList ranksBelow = new IntArrayList();
        private final IntArrayList ranksPerNode = new IntArrayList();
        private int nodes;
        private int ranks;

        /** The next {@code nodes} nodes have so many ranks each. */
        Builder add(int nodes, int ranksPerNode) {
            if (nodes < 1) {
                throw new ConfigException("a job needs at least one node, not " + nodes);
            }
            if (ranksPerNode < 1) {
                throw new ConfigException("a node needs at least one rank, not " + ranksPerNode);
            }
            long sum = ranks + (long) nodes * ranksPerNode;
            if (sum > Integer.MAX_VALUE) {
                throw new ConfigException("a job of " + sum + " ranks is too large: the limit is "
                    + Integer.MAX_VALUE);
            }
            int last = this.ranksPerNode.size() - 1;
            if (last < 0 || this.ranksPerNode.getInt(last) != ranksPerNode) {
                firstNode.addInt(this.nodes);
                ranksBelow.addInt(ranks);
                this.ranksPerNode.addInt(ranksPerNode);
            }
            this.nodes += nodes;
            ranks = (int) sum;
            return this;
        }

        NodeCounts build() {
            if (nodes == 0) {
                throw new ConfigException("a job needs at least one node");
            }
            return new NodeCounts(this);
        }
    }
}
