package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shm.RequestStream;

/**
 * The receiving side of a Veloblock channel of one direction, as a stream of bytes. Credit goes back by other ways than
 * the adapter: {@link #taken} says how much. Not thread-safe, but for {@link #hasFlag}.
 */
public final class BlockReader implements RequestStream {
    private final ChannelShape shape;
    private final Receiver receiver;
    /** Of the next message; 0 when it has not been looked for. */
    private int length;
    /** Of its bytes, how many have been taken. */
    private int begun;

    /**
     * Of a channel of which nothing has been used.
     *
     * @param shape   the same as on the other side
     * @param memory  what the other side writes to: {@link ChannelShape#inboundBytes()} zeros, aligned to 8
     * @param arrival the same as on the other side
     * @param where   the name of the channel in errors
     */
    public BlockReader(ChannelShape shape, MemorySegment memory, Arrival arrival, String where) {
        this.shape = shape;
        this.receiver = new Receiver(shape, memory.asSlice(ChannelShape.HEAD_BYTES, shape.blockBytes()), arrival,
            where);
    }

    /** How the block is used. */
    public ChannelShape shape() {
        return shape;
    }

    /** What is left of the next message. */
    @Override
    public int available() {
        if (length == 0) {
            length = BlockWord.length(receiver.look());
        }
        return length - begun;
    }

    @Override
    public void copy(MemorySegment target, int count) {
        receiver.copy(length, begun, target, count);
    }

    @Override
    public void take(int count) {
        begun += count;
        if (begun == length && length > 0) {
            receiver.pass(length);
            length = 0;
            begun = 0;
        }
    }

    /**
     * Whether the next message is there; only with {@link Arrival#FLAG}. Another thread may call it while the reader's
     * own does not use the reader, and knows that.
     */
    public boolean hasFlag() {
        return receiver.hasFlag();
    }

    /** A write of the other side with these 16 bits is complete; only with {@link Arrival#COMPLETION}. */
    public void arrived(int data) {
        receiver.arrived(data);
    }

    /** Bytes of the block that have been taken since the beginning: the sender's credit. */
    public long taken() {
        return receiver.taken();
    }

    /** Messages that have been taken since the beginning. */
    public long messages() {
        return receiver.messages();
    }
}
