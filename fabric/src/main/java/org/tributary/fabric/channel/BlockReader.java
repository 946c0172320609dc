package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shm.RequestStream;

/**
 * The receiving side of a Veloblock channel of one direction, as a stream of bytes. Credit goes back by other ways than
 * the adapter: {@link #taken} says how much. Not thread-safe, but for {@link #hasFlag}. Another thread may make the
 * progress by which messages come, and says when it does.
 */
public final class BlockReader implements RequestStream {
    private final ChannelShape shape;
    private final Receiver receiver;
    /** Null when only the reader's own thread makes progress, or messages are told. */
    private final Copying copying;
    /** Of the next message; 0 when it has not been looked for. */
    private int length;
    /** Of its bytes, how many have been taken. */
    private int begun;
    /** Whether the copy of the next message has ended. */
    private boolean isWhole;
    /** Its word when it had not, or 0, and {@link Copying#count} then. */
    private long seenWord;
    private long seenAt;

    /**
     * Of a channel of which nothing has been used.
     *
     * @param shape   the same as on the other side
     * @param memory  what the other side writes to: {@link ChannelShape#inboundBytes()} zeros, aligned to 8
     * @param arrival the same as on the other side
     * @param copying of the thread that makes progress, if that is another one, with {@link Arrival#FLAG}; else null
     * @param where   the name of the channel in errors
     */
    public BlockReader(ChannelShape shape, MemorySegment memory, Arrival arrival, Copying copying, String where) {
        this.shape = shape;
        this.copying = copying;
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
        if (length == 0 && (copying == null || isReady())) {
            length = BlockWord.length(receiver.look());
            isWhole &= length > 0; // a rank may take a flag back
        }
        return length - begun;
    }

    /** Whether the next message is there as a whole; only with {@link Arrival#FLAG}. */
    public boolean isReady() {
        if (isWhole || copying == null) {
            return isWhole || hasFlag();
        }
        long before = copying.count();
        long word = receiver.flagged();
        if (word == 0) {
            return false;
        }
        long after = copying.count();
        boolean isQuiet = before == after && !Copying.isUnderWay(before);
        isWhole = isQuiet || word == seenWord && (before > seenAt || !Copying.isUnderWay(before));
        if (word != seenWord) { // a word that is copied may have been seen in parts
            seenWord = word;
            seenAt = after;
        }
        return isWhole;
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
            isWhole = false;
            seenWord = 0;
        }
    }

    /**
     * Whether the flag of the next message is there; only with {@link Arrival#FLAG}. The thread that makes progress may
     * call it between two times, while the reader's own does not use the reader, and knows that.
     */
    public boolean hasFlag() {
        return receiver.flagged() != 0;
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
