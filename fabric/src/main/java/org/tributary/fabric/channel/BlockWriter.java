package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;

/** The sending side of a Veloblock channel of one direction. Credit comes by other ways. Not thread-safe. */
public final class BlockWriter {
    private final ChannelShape shape;
    private final RemoteWrite out;
    private final Sender sender;

    /**
     * Of a channel of which nothing has been used.
     *
     * @param shape   the same as on the other side
     * @param out     writes into the other side's memory
     * @param arrival the same as on the other side
     */
    public BlockWriter(ChannelShape shape, RemoteWrite out, Arrival arrival) {
        this.shape = shape;
        this.out = out;
        this.sender = Sender.of(shape, out, arrival);
    }

    /**
     * Sends bytes as messages, as many as there is room for.
     *
     * @return how many; 0 when the other side has not taken enough, or no memory is free to compose a message in
     * @throws org.tributary.fabric.FabricException when the channel is broken: the other side will take nothing more
     */
    public int write(MemorySegment source, long from, int length) {
        out.check();
        int sent = 0;
        while (sent < length) {
            int piece = Math.min(length - sent, shape.maxMessage());
            if (!sender.hasRoom(piece) || !sender.send(source, from + sent, piece, 0)) {
                break;
            }
            sent += piece;
        }
        return sent;
    }

    /** The other side has taken so many bytes of the block since the beginning; false when that cannot be. */
    public boolean credit(long taken) {
        return sender.taken(taken);
    }

    /** Whether the other side has taken everything. */
    public boolean isAllTaken() {
        return sender.isAllTaken();
    }
}
