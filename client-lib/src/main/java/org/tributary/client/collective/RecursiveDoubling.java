package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;

/**
 * Allreduce between the leaders of nodes for short vectors: {@code floor(log2 m)} exchanges of whole vectors, and two
 * more steps where m is not a power of two (Thakur, Rabenseifner and Gropp 2005, section 4.5).
 *
 * <p>With p the power of two below m, the first {@code 2 (m - p)} leaders pair up: the even one hands its vector to the
 * odd one and waits for the result. Partners combine the same two operands in every step, so all hold the same bits.
 */
final class RecursiveDoubling {
    private final Hierarchy hierarchy;
    private final Transfers transfers;
    private final int index;
    private final int foldRound;
    private final int participants;
    private final int folded;
    private final ByteRange whole;

    RecursiveDoubling(Hierarchy hierarchy, Transfers transfers, int self) {
        this.hierarchy = hierarchy;
        this.transfers = transfers;
        this.index = hierarchy.nodeOf(self);
        this.foldRound = hierarchy.localRounds();
        this.participants = Integer.highestOneBit(hierarchy.nodes());
        this.folded = hierarchy.nodes() - participants;
        this.whole = new ByteRange(transfers.chunkBytes());
    }

    /** Combines all leaders' buffers into each of them. */
    void allreduce(MemorySegment buffer, long bytes, Reduction reduction) {
        whole.set(0, bytes);
        boolean paired = index < 2 * folded;
        if (paired && index % 2 == 0) {
            int partner = hierarchy.leaderOf(index + 1);
            transfers.send(foldRound, partner, buffer, whole);
            transfers.receive(foldRound, partner, buffer, whole, null);
            return;
        }
        if (paired) {
            transfers.receive(foldRound, hierarchy.leaderOf(index - 1), buffer, whole, reduction);
        }
        int position = paired ? index / 2 : index - folded;
        int round = foldRound + 1;
        for (int distance = 1; distance < participants; distance *= 2) {
            int other = position ^ distance;
            int partner = hierarchy.leaderOf(other < folded ? 2 * other + 1 : other + folded);
            transfers.exchange(round++, partner, whole, partner, whole, buffer, reduction);
        }
        if (paired) {
            transfers.send(foldRound, hierarchy.leaderOf(index - 1), buffer, whole);
        }
    }
}
