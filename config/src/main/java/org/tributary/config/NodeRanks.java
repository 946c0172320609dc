package org.tributary.config;

import org.agrona.collections.Int2IntHashMap;

/** The ranks of one node in ascending order, and the index of each, which is looked up in every access. Immutable. */
public final class NodeRanks {
    private static final int OTHER_NODE = -1;

    private final int[] ranks;
    private final int first;
    /** So many ranks follow each other from the first one on. */
    private final int inRow;
    /** Null when all of them do. */
    private final Int2IntHashMap indices;

    /** In ascending order. */
    NodeRanks(int... ranks) {
        this.ranks = ranks;
        first = ranks[0];
        int row = 1;
        while (row < ranks.length && ranks[row] == first + row) {
            row++;
        }
        inRow = row;
        indices = inRow == ranks.length ? null : new Int2IntHashMap(OTHER_NODE);
        for (int index = inRow; index < ranks.length; index++) {
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
        int index = rank - first;
        if (index >= 0 && index < inRow) {
            return index;
        }
        return indices == null ? OTHER_NODE : indices.get(rank);
    }

    public boolean contains(int rank) {
        return indexOf(rank) >= 0;
    }

    /** All of them, in ascending order. */
    public int[] toArray() {
        return ranks.clone();
    }
}
