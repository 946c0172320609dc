package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;

/**
 * Exchange of one block between every two members, without regard to nodes.
 *
 * <p>Small blocks: the index algorithm of Bruck, Ho, Kipnis, Upfal and Weathersby (1997), radix 2. In round b each
 * member passes on, to the member {@code 2^b} ahead, the blocks whose remaining way has bit b: {@code ceil(log2 n)}
 * messages of about half of the blocks each. Large blocks: n - 1 direct exchanges, in step s with the members s ahead
 * and s behind. Those need a round each; when the rounds of the inbox are used up, a barrier ends that part of the
 * exchange, and the next one counts as another collective.
 */
final class AllToAll {
    private final Team team;
    private final Transfers transfers;
    private final int self;
    private final int size;
    private final int layoutRounds;
    private final ByteRange sent;
    private final ByteRange received;
    private final Scratch blocks = new Scratch();
    private final Scratch packed = new Scratch();

    AllToAll(Team team, Transfers transfers, int self, int layoutRounds) {
        this.team = team;
        this.transfers = transfers;
        this.self = self;
        this.size = team.hierarchy().size();
        this.layoutRounds = layoutRounds;
        this.sent = new ByteRange(transfers.chunkBytes());
        this.received = new ByteRange(transfers.chunkBytes());
    }

    /** Small blocks by way of others. */
    void byRelay(MemorySegment send, MemorySegment receive, long blockBytes) {
        transfers.begin(size * blockBytes);
        MemorySegment way = blocks.atLeast(size * blockBytes); // block i has i members to go
        long first = (size - self) * blockBytes;
        MemorySegment.copy(send, self * blockBytes, way, 0, first);
        MemorySegment.copy(send, 0, way, first, self * blockBytes);
        long half = (size + 1L) / 2 * blockBytes; // at most so many indices below the size have a given bit
        MemorySegment parcel = packed.atLeast(2 * half);
        int round = 0;
        for (int bit = 1; bit < size; bit *= 2) {
            long bytes = 0;
            for (int i = bit; i < size; i = next(i, bit)) {
                MemorySegment.copy(way, i * blockBytes, parcel, bytes, blockBytes);
                bytes += blockBytes;
            }
            transfers.exchange(round++, (int) (((long) self + bit) % size), sent.set(0, bytes),
                Math.floorMod(self - bit, size), received.set(half, bytes), parcel, null);
            long from = half;
            for (int i = bit; i < size; i = next(i, bit)) {
                MemorySegment.copy(parcel, from, way, i * blockBytes, blockBytes);
                from += blockBytes;
            }
        }
        for (int i = 0; i < size; i++) {
            MemorySegment.copy(way, i * blockBytes, receive, Math.floorMod(self - i, size) * blockBytes, blockBytes);
        }
    }

    /** The next higher index with a bit. */
    private static int next(int index, int bit) {
        return index + 1 | bit;
    }

    /** Large blocks directly. */
    void direct(MemorySegment send, MemorySegment receive, long blockBytes) {
        transfers.begin(blockBytes);
        MemorySegment.copy(send, self * blockBytes, receive, self * blockBytes, blockBytes);
        int firstRound = team.barrierRounds();
        int stepsAtOnce = layoutRounds - firstRound;
        boolean inOnePart = size - 1 <= stepsAtOnce; // then everyone hears from everyone, which synchronizes by itself
        int round = firstRound;
        for (int step = 1; step < size; step++) {
            if (round == layoutRounds) {
                team.barrier();
                transfers.begin(blockBytes);
                round = firstRound;
            }
            int to = (int) (((long) self + step) % size);
            int from = Math.floorMod(self - step, size);
            transfers.exchange(round++, to, send, sent.set(to * blockBytes, blockBytes), from, receive,
                received.set(from * blockBytes, blockBytes), null);
        }
        if (!inOnePart) {
            team.barrier();
        }
    }
}
