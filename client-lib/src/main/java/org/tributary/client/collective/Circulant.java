package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;

/**
 * Reduce-scatter and allgather between the leaders of nodes, on a circulant graph: {@code ceil(log2 m)} rounds for any
 * number m of leaders, power of two or not, in which each leader moves all parts but its own once.
 *
 * <p>The reduce-scatter is that of J. L. Traeff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms"
 * (arXiv:2410.14234, 2024); the allgather runs it backwards, which is Bruck, Ho, Kipnis, Upfal and Weathersby (1997)
 * with skips of {@code ceil(m / 2^i)}. Together they move as much as the reduce-scatter with allgather of Rabenseifner
 * (Thakur, Rabenseifner and Gropp 2005) without folding what is not a power of two: a leader that held n parts,
 * counted from its own on and around the end, gives away the upper half of them and keeps the partial sums of the
 * lower one. Parts stay in place; a run of parts around the end is a stream of two pieces.
 *
 * <p>Each part is combined by one leader and then copied, so all members hold the same bits.
 */
final class Circulant {
    private final Hierarchy hierarchy;
    private final Transfers transfers;
    private final int index;
    private final int firstRound;
    private final ByteRange sent;
    private final ByteRange received;

    Circulant(Hierarchy hierarchy, Transfers transfers, int self) {
        this.hierarchy = hierarchy;
        this.transfers = transfers;
        this.index = hierarchy.nodeOf(self);
        this.firstRound = hierarchy.localRounds();
        this.sent = new ByteRange(transfers.chunkBytes());
        this.received = new ByteRange(transfers.chunkBytes());
    }

    /** Combines all leaders' buffers; on return the own part of the buffer holds the result, the rest is undefined. */
    void reduceScatter(MemorySegment buffer, Partition parts, Reduction reduction) {
        int leaders = hierarchy.nodes();
        int round = firstRound;
        int held = leaders;
        while (held > 1) {
            int kept = (held + 1) / 2;
            sent.cover(parts, index + kept, index + held);
            received.cover(parts, index, index + held - kept);
            transfers.exchange(round++, leader(index + kept), sent, leader(index + leaders - kept), received, buffer,
                reduction);
            held = kept;
        }
    }

    /** Copies every leader's own part to all leaders; its rounds follow those of {@link #reduceScatter}. */
    void allgather(MemorySegment buffer, Partition parts) {
        int leaders = hierarchy.nodes();
        int round = firstRound + hierarchy.leaderRounds();
        for (int level = hierarchy.leaderRounds() - 1; level >= 0; level--) {
            int wanted = halved(leaders, level);
            int held = halved(leaders, level + 1);
            sent.cover(parts, index, index + wanted - held);
            received.cover(parts, index + held, index + wanted);
            transfers.exchange(round++, leader(index + leaders - held), sent, leader(index + held), received, buffer,
                null);
        }
    }

    private static int halved(int n, int times) {
        return (int) ((n + (1L << times) - 1) >> times);
    }

    private int leader(int node) {
        return hierarchy.leaderOf(node % hierarchy.nodes());
    }
}
