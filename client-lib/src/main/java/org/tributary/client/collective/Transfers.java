package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shm.CollectiveLayout;

/**
 * Streams of chunks between members: the one primitive of all collectives.
 *
 * <p>A stream goes from one member to another in one round of one collective. Chunk {@code k} lies in the receiver's
 * slot (round, parity of the collective, parity of k) and is announced by its flag. The first two chunks need no
 * permission (see the package on why their slots are free); every later one waits for the acknowledgement of chunk
 * {@code k - 2}, which the receiver sends for exactly those chunks whose acknowledgement will be waited for, so that
 * none is still under way when the collective is over. A stream of no bytes is one empty chunk, so a member waits for
 * another one whatever the sizes are.
 *
 * <p>The flag of chunk {@code k} is {@code key + k}, with the {@linkplain Call#key() key} of the call: it is awaited
 * exactly, so that what belongs to another call, earlier or by mistake, is not taken for it. Acknowledgements are
 * {@code base + k + 1}, where the base of a collective is beyond all values of the collective before it: these words
 * only grow, and in 64 bits never run out.
 */
final class Transfers {
    private final CollectiveLayout layout;
    private final Inboxes inboxes;
    private final MemorySegment own;
    private final int chunkBytes;
    private final Call call;
    private final Inboxes.Doubt doubt;
    private long sequence;
    private long key;
    private long base;
    private long nextBase;

    /** {@code call} is what this member calls. */
    Transfers(CollectiveLayout layout, Inboxes inboxes, Call call) {
        this.layout = layout;
        this.inboxes = inboxes;
        this.call = call;
        this.own = inboxes.own();
        this.chunkBytes = layout.chunkBytes();
        this.doubt = new Mismatch(inboxes, layout, call);
    }

    /**
     * Starts a collective. All members give the same size, which bounds the values that acknowledgements take.
     *
     * @param longestStream upper bound of the bytes of any one stream of the collective
     */
    void begin(long longestStream) {
        sequence++;
        call.begin(sequence);
        key = call.key();
        base = nextBase;
        nextBase = base + longestStream / chunkBytes + 3; // an incomplete chunk in each of two pieces, and one to spare
    }

    int chunkBytes() {
        return chunkBytes;
    }

    /** Chunks of a contiguous stream of that many bytes: at least one. */
    long chunksOf(long bytes) {
        return bytes <= chunkBytes ? 1 : (bytes - 1) / chunkBytes + 1;
    }

    /** The inbox that {@link #awaitChunk} gives offsets into. */
    MemorySegment inbox() {
        return own;
    }

    /** Sends chunk {@code k} of the stream to a member, after waiting for its slot to be free. */
    void push(int round, int to, MemorySegment source, long offset, long length, long k) {
        if (k >= 2) {
            inboxes.await(layout.ackOffset(round, sequence), base + k - 1, false, to, doubt);
        }
        inboxes.send(to, layout.chunkOffset(round, sequence, k), source, offset, length,
            layout.flagOffset(round, sequence, k), key + k);
    }

    /** Waits for chunk {@code k} of the stream from a member; returns where in {@link #inbox()} it lies. */
    long awaitChunk(int round, int from, long k) {
        inboxes.await(layout.flagOffset(round, sequence, k), key + k, true, from, doubt);
        return layout.chunkOffset(round, sequence, k);
    }

    /** Gives the slot of chunk {@code k} of {@code chunks} back to its sender, who needs it for chunk {@code k + 2}. */
    void release(int round, int from, long k, long chunks) {
        if (k + 2 < chunks) {
            inboxes.send(from, 0, own, 0, 0, layout.ackOffset(round, sequence), base + k + 1);
        }
    }

    /** Sends nothing but the news that this member has come so far. */
    void signal(int round, int to) {
        push(round, to, own, 0, 0, 0);
    }

    /** Waits for {@link #signal} of a member. */
    void awaitSignal(int round, int from) {
        awaitChunk(round, from, 0);
    }

    /** Sends a whole stream. */
    void send(int round, int to, MemorySegment source, ByteRange range) {
        long chunks = range.chunks();
        for (long k = 0; k < chunks; k++) {
            push(round, to, source, range.offset(k), range.length(k), k);
        }
    }

    /** Receives a whole stream, combining it with what the target holds, or replacing that if reduction is null. */
    void receive(int round, int from, MemorySegment target, ByteRange range, Reduction reduction) {
        long chunks = range.chunks();
        for (long k = 0; k < chunks; k++) {
            take(round, from, target, range, reduction, k, chunks);
        }
    }

    /**
     * Sends one stream while receiving another, chunk by chunk. Nothing deadlocks when all members go through rounds in
     * the same order: sending chunk k waits for the receipt of chunk k - 2, receiving chunk k for its sending.
     * Where the ranges are the same, a chunk is combined only after it has been sent.
     */
    void exchange(int round, int to, ByteRange sent, int from, ByteRange received, MemorySegment buffer,
        Reduction reduction) {
        long sends = sent.chunks();
        long receives = received.chunks();
        for (long k = 0; k < Math.max(sends, receives); k++) {
            if (k < sends) {
                push(round, to, buffer, sent.offset(k), sent.length(k), k);
            }
            if (k < receives) {
                take(round, from, buffer, received, reduction, k, receives);
            }
        }
    }

    /** Receives chunk {@code k} of {@code chunks} of a stream: see {@link #receive}. */
    void take(int round, int from, MemorySegment target, ByteRange range, Reduction reduction, long k,
        long chunks) {
        long chunk = awaitChunk(round, from, k);
        if (reduction == null) {
            MemorySegment.copy(own, chunk, target, range.offset(k), range.length(k));
        } else {
            reduction.combine(target, range.offset(k), own, chunk, range.length(k));
        }
        release(round, from, k, chunks);
    }
}
