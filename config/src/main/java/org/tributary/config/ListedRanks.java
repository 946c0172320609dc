package org.tributary.config;

import java.util.Arrays;
import java.util.BitSet;
import org.agrona.collections.IntArrayList;

/** Ranks in an order of their own, held as pieces: ranks in a row on one node. Immutable. */
final class ListedRanks implements Placement {
    private final NodeCounts counts;
    private final int[] firstRank;
    private final int[] node;
    /** Index of a piece's first rank on its node. */
    private final int[] firstIndex;
    /** Pieces by node, each node's in ascending order, and where those of a node begin. */
    private final int[] piecesByNode;
    private final int[] nodeStart;

    private ListedRanks(Builder builder, int nodes) {
        firstRank = builder.firstRank.toIntArray();
        node = builder.node.toIntArray();
        firstIndex = new int[node.length];
        piecesByNode = new int[node.length];
        nodeStart = new int[nodes + 1];
        for (int on : node) {
            nodeStart[on + 1]++;
        }
        Arrays.parallelPrefix(nodeStart, Integer::sum);
        int[] next = nodeStart.clone();
        int[] ranks = new int[nodes];
        for (int piece = 0; piece < node.length; piece++) {
            int on = node[piece];
            piecesByNode[next[on]++] = piece;
            firstIndex[piece] = ranks[on];
            ranks[on] += (piece + 1 < node.length ? firstRank[piece + 1] : builder.ranks) - firstRank[piece];
        }
        NodeCounts.Builder counting = new NodeCounts.Builder();
        for (int count : ranks) {
            counting.add(1, count);
        }
        counts = counting.build();
    }

    private int length(int piece) {
        return (piece + 1 < firstRank.length ? firstRank[piece + 1] : counts.rankCount()) - firstRank[piece];
    }

    /** The same placement in the shortest form. */
    private Placement simplified() {
        for (int piece = 0; piece < node.length; piece++) {
            if (node[piece] != piece) {
                return this; // not even the first round goes from node to node
            }
            if (piece == counts.nodeCount() - 1) {
                return DealtRanks.block(counts); // all others are full
            }
            if (length(piece) < counts.rankCount(piece)) {
                DealtRanks dealt = DealtRanks.of(counts, length(piece));
                return isDealt(dealt) ? dealt : this;
            }
        }
        throw new AssertionError("a piece of each node");
    }

    /** A piece is dealt alike when the indices of its ends differ as their ranks do: all between are on its node. */
    private boolean isDealt(DealtRanks dealt) {
        for (int piece = 0; piece < node.length; piece++) {
            int first = firstRank[piece];
            int last = first + length(piece) - 1;
            if (dealt.nodeOf(first) != node[piece] || dealt.nodeOf(last) != node[piece]
                || dealt.indexOf(last) - dealt.indexOf(first) != last - first) {
                return false;
            }
        }
        return true;
    }

    @Override
    public NodeCounts counts() {
        return counts;
    }

    @Override
    public int nodeOf(int rank) {
        return node[NodeCounts.floor(firstRank, rank)];
    }

    @Override
    public int indexOf(int rank) {
        int piece = NodeCounts.floor(firstRank, rank);
        return firstIndex[piece] + rank - firstRank[piece];
    }

    @Override
    public int rankAt(int on, int index) {
        int low = nodeStart[on];
        int high = nodeStart[on + 1] - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (firstIndex[piecesByNode[middle]] <= index) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        int piece = piecesByNode[low];
        return firstRank[piece] + index - firstIndex[piece];
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("map:");
        for (int piece = 0; piece < node.length; piece++) {
            text.append(piece == 0 ? "" : ",").append(length(piece) == 1 ? "" : length(piece) + "*")
                .append(node[piece]);
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ListedRanks that && counts.rankCount() == that.counts.rankCount()
            && Arrays.equals(firstRank, that.firstRank) && Arrays.equals(node, that.node);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(firstRank) + Arrays.hashCode(node);
    }

    /** Takes the ranks in order. */
    static final class Builder {
        private final IntArrayList firstRank = new IntArrayList();
        private final IntArrayList node = new IntArrayList();
        private int ranks;
        private int highest = -1;

        /** The next {@code count} ranks are on this node. */
        Builder add(int count, int on) {
            if (count < 1) {
                throw new ConfigException("rank " + ranks + " is of a run of " + count + " ranks, at least 1");
            }
            if (on < 0) {
                throw new ConfigException("rank " + ranks + " is on node " + on + "; nodes are numbered from 0");
            }
            long sum = (long) ranks + count;
            if (sum > Integer.MAX_VALUE) {
                throw new ConfigException("a job of " + sum + " ranks is too large: the limit is "
                    + Integer.MAX_VALUE);
            }
            if (ranks == 0 || node.getInt(node.size() - 1) != on) {
                firstRank.addInt(ranks);
                node.addInt(on);
            }
            highest = Math.max(highest, on);
            ranks = (int) sum;
            return this;
        }

        /** The placement in its shortest form. */
        Placement build() {
            if (ranks == 0) {
                throw new ConfigException("a job needs at least one rank");
            }
            checkNodes();
            return new ListedRanks(this, highest + 1).simplified();
        }

        /** Before anything is as large as a number of a node, which can be any. */
        private void checkNodes() {
            BitSet found = new BitSet();
            for (int piece = 0; piece < node.size(); piece++) {
                if (node.getInt(piece) < node.size()) {
                    found.set(node.getInt(piece));
                }
            }
            int missing = found.nextClearBit(0);
            if (missing < highest) {
                throw new ConfigException("node " + missing + " has no rank, but rank "
                    + firstRank.getInt(node.indexOf(highest)) + " is on node " + highest
                    + "; nodes are numbered from 0, and each has at least one rank");
            }
        }
    }
}
