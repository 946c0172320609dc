package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;

/**
 * Exchange of one block between every two members, without regard to nodes.
 *
 * <p>Small blocks: the index algorithm of Bruck, Ho, Kipnis, Upfal and Weathersby (1997), radix 2. In round b each
 * member passes on, to the member {@code 2^b} ahead, the blocks whose remaining way has bit b: {@code ceil(log2 n)}
 * messages of about half of the blocks each. Large blocks: directly, to every member, with the members s ahead and s
 * behind in step s. Steps do not wait for one another: the next chunk for every member is sent before any is waited
 * for. Each step needs a round; when those of the inbox, {@code 2 log2 n} or so, are used up, a barrier ends that part
 * of the exchange, and the next one counts as another collective.
 *
 * <p>Relaying moves {@code log2(n) / 2} times the bytes, and going directly costs n - 1 messages and a barrier for
 * every {@code 2 log2 n} of them. So the size of block at which the two cost the same falls as {@code 1 / log2 n}:
 * {@link Tuning#smallBlockBytes}. Measured with 2 nodes of 4 ranks on 2 cores, where it is between 4 and 8 KiB: blocks
 * of 1 KiB take 153 us relayed and 370 us directly, of 4 KiB 242 and 317 us, of 8 KiB 482 and 352 us, of 32 KiB 2.8 and
 * 1.1 ms.
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

    /** Large blocks directly: in each part, chunks for all members are on their way before any is waited for. */
    void direct(MemorySegment send, MemorySegment receive, long blockBytes) {
        MemorySegment.copy(send, self * blockBytes, receive, self * blockBytes, blockBytes);
        int firstRound = team.barrierRounds();
        int stepsAtOnce = layoutRounds - firstRound;
        for (int first = 1; first < size; first += stepsAtOnce) {
            transfers.begin(blockBytes);
            exchangeAll(first, Math.min(size, first + stepsAtOnce), send, receive, blockBytes);
            if (size - 1 > stepsAtOnce) { // otherwise everyone hears from everyone, which synchronizes by itself
                team.barrier();
            }
        }
    }

    private void exchangeAll(int firstStep, int endStep, MemorySegment send, MemorySegment receive, long blockBytes) {
        int round = team.barrierRounds() - firstStep;
        long chunks = transfers.chunksOf(blockBytes);
        for (long k = 0; k < chunks; k++) {
            for (int step = firstStep; step < endStep; step++) {
                int to = (int) (((long) self + step) % size);
                sent.set(to * blockBytes, blockBytes);
                transfers.push(round + step, to, send, sent.offset(k), sent.length(k), k);
            }
            for (int step = firstStep; step < endStep; step++) {
                int from = Math.floorMod(self - step, size);
                received.set(from * blockBytes, blockBytes);
                transfers.take(round + step, from, receive, received, null, k, chunks);
            }
        }
    }
}
