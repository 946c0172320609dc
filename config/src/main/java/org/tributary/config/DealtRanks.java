package org.tributary.config;

import static org.tributary.config.NodeCounts.floor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.agrona.collections.IntArrayList;

/**
 * Ranks that are dealt to the nodes in rounds. In each round every node that is not full takes {@code chunk} ranks in a
 * row, or as many as it still lacks. Block order is one round, in which each node takes all of its ranks.
 * <p>
 * Consecutive rounds in which every node takes the same number of ranks as in the round before are one phase. So a
 * uniform job of a million ranks costs as much as one of two. Immutable.
 */
final class DealtRanks implements Placement {
    /** The chunk of block order. */
    static final int BLOCK = Integer.MAX_VALUE;

    private final NodeCounts counts;
    private final int chunk;
    private final Phase[] phases;
    private final int[] firstRanks;
    private final int[] firstRounds;

    /**
     * Some rounds. {@code firstNode}, {@code offset} and {@code share} are by run of nodes in a row that take the same:
     * the first of these nodes, the ranks that nodes before it take in a round, and the ranks of each.
     */
    private record Phase(int firstRank, int firstRound, int width, int[] firstNode, int[] offset, int[] share) {
        int nodeOf(int place) {
            int run = floor(offset, place);
            return firstNode[run] + (place - offset[run]) / share[run];
        }

        /** How many ranks the node of this place has taken before it in this round. */
        int before(int place) {
            int run = floor(offset, place);
            return (place - offset[run]) % share[run];
        }

        int place(int node) {
            int run = floor(firstNode, node);
            return offset[run] + (node - firstNode[run]) * share[run];
        }
    }

    private DealtRanks(NodeCounts counts, int chunk) {
        this.counts = counts;
        this.chunk = chunk;
        phases = phases(counts, chunk);
        firstRanks = Arrays.stream(phases).mapToInt(Phase::firstRank).toArray();
        firstRounds = Arrays.stream(phases).mapToInt(Phase::firstRound).toArray();
    }

    /** Each node takes all of its ranks before the next one. */
    static DealtRanks block(NodeCounts counts) {
        return new DealtRanks(counts, BLOCK);
    }

    static DealtRanks of(NodeCounts counts, int chunk) {
        return new DealtRanks(counts, isBlock(counts, chunk) ? BLOCK : chunk);
    }

    /** Whether each node is full before the next one takes a rank. Otherwise no other chunk deals the same. */
    private static boolean isBlock(NodeCounts counts, int chunk) {
        int last = counts.runs() - 1;
        return IntStream.range(0, counts.nodes(last) == 1 ? last : last + 1)
            .allMatch(run -> counts.ranksPerNode(run) <= chunk);
    }

    private static Phase[] phases(NodeCounts counts, int chunk) {
        int[] ends = IntStream.range(0, counts.runs()).map(counts::ranksPerNode)
            .flatMap(ranks -> IntStream.of(ranks / chunk, ranks / chunk + (ranks % chunk == 0 ? 0 : 1)))
            .filter(round -> round > 0).sorted().distinct().toArray();
        List<Phase> phases = new ArrayList<>();
        int[] running = IntStream.range(0, counts.runs()).toArray();
        int rank = 0;
        int round = 0;
        for (int end : ends) {
            long taken = (long) round * chunk;
            running = Arrays.stream(running).filter(run -> counts.ranksPerNode(run) > taken).toArray();
            Phase phase = phase(counts, running, rank, round, run -> (int) Math.min(chunk,
                counts.ranksPerNode(run) - taken));
            phases.add(phase);
            rank += phase.width * (end - round);
            round = end;
        }
        return phases.toArray(Phase[]::new);
    }

    private static Phase phase(NodeCounts counts, int[] running, int rank, int round,
        IntUnaryOperator shareOf) {
        IntArrayList firstNode = new IntArrayList();
        IntArrayList offset = new IntArrayList();
        IntArrayList share = new IntArrayList();
        int width = 0;
        int next = -1;
        for (int run : running) {
            int takes = shareOf.applyAsInt(run);
            if (counts.firstNode(run) != next || share.getInt(share.size() - 1) != takes) {
                firstNode.addInt(counts.firstNode(run));
                offset.addInt(width);
                share.addInt(takes);
            }
            width += counts.nodes(run) * takes;
            next = counts.firstNode(run) + counts.nodes(run);
        }
        return new Phase(rank, round, width, firstNode.toIntArray(), offset.toIntArray(), share.toIntArray());
    }

    @Override
    public NodeCounts counts() {
        return counts;
    }

    @Override
    public int nodeOf(int rank) {
        Phase phase = phases[floor(firstRanks, rank)];
        return phase.nodeOf((rank - phase.firstRank) % phase.width);
    }

    @Override
    public int indexOf(int rank) {
        Phase phase = phases[floor(firstRanks, rank)];
        int dealt = rank - phase.firstRank;
        return (phase.firstRound + dealt / phase.width) * chunk + phase.before(dealt % phase.width);
    }

    @Override
    public int rankAt(int node, int index) {
        int round = index / chunk;
        Phase phase = phases[floor(firstRounds, round)];
        return phase.firstRank + (round - phase.firstRound) * phase.width + phase.place(node) + index % chunk;
    }

    @Override
    public String toString() {
        return (chunk == BLOCK ? "" : chunk == 1 ? "cyclic:" : "cyclic(" + chunk + "):") + counts;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DealtRanks that && chunk == that.chunk && counts.equals(that.counts);
    }

    @Override
    public int hashCode() {
        return 31 * counts.hashCode() + chunk;
    }
}
