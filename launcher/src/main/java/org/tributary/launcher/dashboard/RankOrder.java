package org.tributary.launcher.dashboard;

import java.util.Arrays;
import java.util.List;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;

/** The ranks of the nodes that are known, node by node, so that those of a node stand together. Immutable. */
final class RankOrder {
    private final int[] nodes;
    private final int[] firstPlaces;
    private final int[] ranks;
    private final int[] placeOfRank;
    private final int[] indexOfPlace;

    /** Of nodes in ascending order. */
    RankOrder(List<NodeSnapshot> snapshots) {
        nodes = snapshots.stream().mapToInt(node -> node.status().node()).toArray();
        firstPlaces = new int[nodes.length + 1];
        ranks = snapshots.stream().flatMap(node -> node.status().ranks().stream())
            .mapToInt(NodeStatus.Rank::rank).toArray();
        indexOfPlace = new int[ranks.length];
        int place = 0;
        for (int i = 0; i < nodes.length; i++) {
            int count = snapshots.get(i).status().ranks().size();
            Arrays.fill(indexOfPlace, place, place + count, i);
            place += count;
            firstPlaces[i + 1] = place;
        }
        placeOfRank = new int[1 + Math.max(-1, Arrays.stream(ranks).max().orElse(-1))];
        Arrays.fill(placeOfRank, -1);
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] >= 0) {
                placeOfRank[ranks[i]] = i;
            }
        }
    }

    int nodeCount() {
        return nodes.length;
    }

    int rankCount() {
        return ranks.length;
    }

    /** The number of the node at an index. */
    int node(int index) {
        return nodes[index];
    }

    /** The rank at a place. */
    int rank(int place) {
        return ranks[place];
    }

    /** Where the ranks of the node at an index begin; the end of all for the index behind the last. */
    int firstPlace(int index) {
        return firstPlaces[index];
    }

    /** The place of a rank, or -1. */
    int placeOf(int rank) {
        return rank >= 0 && rank < placeOfRank.length ? placeOfRank[rank] : -1;
    }

    /** The index of the node of the rank at a place. */
    int indexOf(int place) {
        return indexOfPlace[place];
    }

    /** The number of the node of a rank, or -1. */
    int nodeOf(int rank) {
        int place = placeOf(rank);
        return place < 0 ? -1 : nodes[indexOfPlace[place]];
    }
}
