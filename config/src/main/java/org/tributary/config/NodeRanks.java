package org.tributary.config;

import org.agrona.collections.Int2IntHashMap;

/** The ranks of one node in ascending order, and the index of each, which is looked up in every access. Immutable. */
public final class NodeRanks {
    private static final int OTHER_NODE = -1;

    private final int[] ranks;
    private final int first;
    /** Null when the ranks follow each other. */
    private final Int2IntHashMap indices;

    /** In ascending order. */
    NodeRanks(int... ranks) {
        this.ranks = ranks;
        first = ranks[0];
        indices = ranks[ranks.length - 1] - first == ranks.length - 1 ? null : new Int2IntHashMap(OTHER_NODE);
        for (int index = 0; index < ranks.length && indices != null; index++) {
            indices.put(ranks[index], index);
        }
    }

    public int count() {
        return ranks.length;
    }

    public int rank(int index) {
        return ranks[index];
    }

    /** The index of a rank, or -1 of one on another node; any number may be asked for. */
    public int indexOf(int rank) {
        if (indices != null) {
            return indices.get(rank);
        }
        int index = rank - first;
        return index >= 0 && index < ranks.length ? index : OTHER_NODE;
    }

    public boolean contains(int rank) {
        return indexOf(rank) >= 0;
    }

    /** All of them, in ascending order. */
    public int[] toArray() {
        return ranks.clone();
    }
}
