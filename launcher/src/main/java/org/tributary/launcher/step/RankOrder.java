package org.tributary.launcher.step;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.wire.status.NodeStatus;

/** The ranks of the nodes that are known, node by node, so that those of a node stand together. Immutable. */
public final class RankOrder {
    /** Of a larger job each node is told by itself. */
    static final int MOST_RANKS = 1 << 20;

    private final int[] nodes;
    private final int[] firstPlaces;
    private final int[] ranks;
    private final int[] placeOfRank;
    private final int[] indexOfPlace;

    private RankOrder(int[] nodes, List<int[]> ranksOfNodes) {
        this.nodes = nodes;
        firstPlaces = new int[nodes.length + 1];
        ranks = ranksOfNodes.stream().flatMapToInt(Arrays::stream).toArray();
        indexOfPlace = new int[ranks.length];
        int place = 0;
        for (int i = 0; i < nodes.length; i++) {
            int count = ranksOfNodes.get(i).length;
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

    /** Of nodes in ascending order. */
    public static RankOrder of(Collection<NodeStatus> nodes) {
        return new RankOrder(nodes.stream().mapToInt(NodeStatus::node).toArray(), nodes.stream()
            .map(node -> node.ranks().stream().mapToInt(NodeStatus.Rank::rank).toArray()).toList());
    }

    /** Of all nodes of a job with that layout; none when the text was cut off, or is of another job. */
    static Optional<RankOrder> of(String layout, int jobNodes, int jobRanks) {
        if (jobNodes < 1 || jobRanks < 1 || jobRanks > MOST_RANKS) {
            return Optional.empty();
        }
        try {
            Topology topology = Topology.parse(layout);
            return topology.nodeCount() == jobNodes && topology.rankCount() == jobRanks ? Optional.of(of(topology))
                : Optional.empty();
        } catch (ConfigException e) {
            return Optional.empty();
        }
    }

    private static RankOrder of(Topology topology) {
        return new RankOrder(IntStream.range(0, topology.nodeCount()).toArray(),
            IntStream.range(0, topology.nodeCount()).mapToObj(node -> IntStream.range(0, topology.rankCount(node))
                .map(index -> topology.rankAt(node, index)).toArray()).toList());
    }

    public int nodeCount() {
        return nodes.length;
    }

    public int rankCount() {
        return ranks.length;
    }

    /** The number of the node at an index. */
    public int node(int index) {
        return nodes[index];
    }

    public int rank(int place) {
        return ranks[place];
    }

    /** Where the ranks of the node at an index begin; the end of all for the index behind the last. */
    public int firstPlace(int index) {
        return firstPlaces[index];
    }

    /** The place of a rank; -1 when it is not in the order. */
    int placeOf(int rank) {
        return rank >= 0 && rank < placeOfRank.length ? placeOfRank[rank] : -1;
    }

    /** The index of the node of the rank at a place. */
    int indexOf(int place) {
        return indexOfPlace[place];
    }

    /** The number of the node of a rank, or -1. */
    public int nodeOf(int rank) {
        int place = placeOf(rank);
        return place < 0 ? -1 : nodes[indexOfPlace[place]];
    }
}
