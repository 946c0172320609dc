package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.tributary.wire.shm.DamagedMemoryException;
import org.tributary.wire.shm.SharedWord;

/**
 * One side of a channel between two processes, in both directions. What the other side writes to has this layout, and
 * is all zeros at first:
 *
 * <pre>
 *   0     credit  int64, bytes that the other side has taken since the beginning; written by it
 *   64    block   messages, as the shape's design places them
 * </pre>
 *
 * <p>Credit is in bytes and travels with messages of the other direction. When half a block of it has been kept back
 * because there are none, the credit word is written. Not thread-safe.
 */
public final class Channel {
    static final long CREDIT = 0;
    private static final int CREDIT_BITS = 24;
    private static final int COMPLETION_BITS = 15;

    private final ChannelShape shape;
    private final RemoteWrite out;
    private final MemorySegment inbound;
    private final boolean byFlag;
    private final Sender sender;
    private final Receiver receiver;
    private long returned;

    /**
     * A channel of which nothing has been used.
     *
     * @param shape   the same as on the other side
     * @param arrival the same as on the other side
     * @param out     writes into the other side's memory
     * @param inbound the memory that the other side writes to: {@link ChannelShape#inboundBytes()} zeros, aligned to 8
     * @param where   the name of the channel in errors
     */
    public Channel(ChannelShape shape, Arrival arrival, RemoteWrite out, MemorySegment inbound, String where) {
        Objects.checkFromIndexSize(0, shape.inboundBytes(), inbound.byteSize());
        this.shape = shape;
        this.out = out;
        this.inbound = inbound;
        this.byFlag = arrival == Arrival.FLAG;
        this.sender = Sender.of(shape, out, arrival);
        this.receiver = new Receiver(shape, inbound.asSlice(ChannelShape.HEAD_BYTES, shape.blockBytes()), arrival,
            where);
    }

    /**
     * Sends a message of at least a byte.
     *
     * @return false when the other side has not taken enough of those before, or no memory is free to compose it in
     * @throws IllegalArgumentException when it is longer than {@link ChannelShape#maxMessage()}, or empty
     * @throws org.tributary.fabric.FabricException when the channel is broken: the other side will take nothing more
     */
    public boolean send(MemorySegment message, long from, int length) {
        if (length < 1 || length > shape.maxMessage()) {
            throw new IllegalArgumentException("a message has 1 to " + shape.maxMessage() + " bytes, not " + length);
        }
        if (!sender.hasRoom(length)) {
            lookForCredit();
            if (!sender.hasRoom(length)) {
                out.check();
                return false;
            }
        }
        long credit = receiver.taken();
        boolean sent = sender.send(message, from, length, (int) (receiver.takenGrains() & BlockWord.BITS_24));
        if (sent) {
            returned = credit;
        }
        return sent;
    }

    private void lookForCredit() {
        if (byFlag) {
            // Of a torn word the lower bytes are the newer: it is at most the new count; partner: the remote write.
            sender.credit(SharedWord.getLongAcquire(inbound, CREDIT) / shape.grain(), CREDIT_BITS);
        }
    }

    /**
     * Takes messages, at most so many, and returns credit when that is due.
     *
     * @return how many
     * @throws DamagedMemoryException when what was written is no message; the channel can no longer be used
     * @throws org.tributary.fabric.FabricException when there is none, and the channel is broken
     */
    public int poll(MessageHandler handler, int limit) {
        int count = 0;
        while (count < limit) {
            long word = receiver.look();
            if (word == 0) {
                break;
            }
            sender.credit(BlockWord.credit(word), CREDIT_BITS);
            receiver.take(word, handler);
            count++;
        }
        if (count == 0) {
            out.check(); // what had arrived before it broke has been taken
        }
        if (receiver.taken() - returned >= shape.blockBytes() / 2) {
            returnCredit();
        }
        return count;
    }

    private void returnCredit() {
        RemoteWrite.Source source = out.claim(ChannelShape.WORD);
        if (source == null) {
            return; // the next poll tries again
        }
        SharedWord.setLongRelease(source.memory(), 0, receiver.taken()); // partner: lookForCredit, far away
        if (byFlag) {
            out.write(source, 0, ChannelShape.WORD, (int) CREDIT);
        } else {
            out.writeWithData(source, 0, ChannelShape.WORD, (int) CREDIT,
                Arrivals.CREDIT | (int) receiver.takenGrains() & Arrivals.CREDIT_BITS);
        }
        out.release(source);
        returned = receiver.taken();
    }

    /** A write of the other side with these 16 bits is complete; only with {@link Arrival#COMPLETION}. */
    public void arrived(int data) {
        if ((data & Arrivals.CREDIT) != 0) {
            sender.credit(data & Arrivals.CREDIT_BITS, COMPLETION_BITS);
        } else {
            receiver.arrived(data);
        }
    }
}
