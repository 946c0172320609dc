package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shm.DamagedMemoryException;

/** The receiving side of one direction. It never stores into the block. */
final class Receiver {
    private static final long NOTHING = 0;

    private final ChannelShape shape;
    private final MemorySegment block;
    private final Arrivals arrivals;
    private final MemorySegment whole;
    private final String where;
    private long position;
    private long number;

    Receiver(ChannelShape shape, MemorySegment block, Arrival arrival, String where) {
        this.shape = shape;
        this.block = block;
        this.arrivals = arrival == Arrival.COMPLETION ? new Arrivals() : null;
        this.whole = MemorySegment.ofArray(new long[shape.slotBytes() / ChannelShape.WORD]);
        this.where = where;
    }

    /** A write with these data is there. */
    void arrived(int data) {
        arrivals.note(data);
    }

    /** The word of the next message, or 0 when it is not there as a whole. */
    long look() {
        if (arrivals != null && !arrivals.isComplete()) {
            return NOTHING;
        }
        long word = flagged();
        if (word != NOTHING) {
            checkLength(BlockWord.length(word));
        } else if (arrivals != null) {
            throw damaged("message " + number + " has arrived and is not there");
        }
        return word;
    }

    private void checkLength(int length) {
        if (!isPossible(length)) {
            throw damaged("message " + number + " has " + length + " bytes, not 1 to " + shape.maxMessage());
        }
    }

    private DamagedMemoryException damaged(String what) {
        return new DamagedMemoryException(where, what);
    }

    /** Gives the message of that word to the handler, and then its room back. */
    void take(long word, MessageHandler handler) {
        int length = BlockWord.length(word);
        int begin = begin(length);
        if (begin + length <= shape.blockBytes()) {
            handler.message(block, begin, length);
        } else {
            copy(length, 0, whole, length);
            handler.message(whole, 0, length);
        }
        pass(length);
    }

    /** Where the next message begins, which has that length. */
    private int begin(int length) {
        int at = (int) (position % shape.blockBytes());
        return shape.design().isTop() ? (at + ChannelShape.WORD) % shape.blockBytes()
            : Math.floorMod(shape.blockBytes() - at - shape.used(length), shape.blockBytes());
    }

    /** Copies {@code count} bytes of the next message, of that length, from its byte {@code from} on. */
    void copy(int length, int from, MemorySegment target, int count) {
        int begin = (begin(length) + from) % shape.blockBytes();
        int first = Math.min(count, shape.blockBytes() - begin);
        MemorySegment.copy(block, begin, target, 0, first);
        MemorySegment.copy(block, 0, target, first, count - first);
    }

    /** Gives the room of the next message back, which has that length. */
    void pass(int length) {
        position += shape.taken(length);
        number++;
        if (arrivals != null) {
            arrivals.take();
        }
    }

    /** The word of the next message when all its flags are there, or of no message; otherwise 0. */
    long flagged() {
        int at = (int) (position % shape.blockBytes());
        if (!shape.design().isTop()) {
            long word = BlockWord.get(block, shape.blockBytes() - at - ChannelShape.WORD);
            return BlockWord.last(word) == BlockWord.bottomFlagOf(number) ? word : NOTHING;
        }
        long word = BlockWord.get(block, at);
        int flag = BlockWord.topFlag(word);
        int length = BlockWord.length(word);
        boolean isThere = (flag & BlockWord.TOP_FLAG_BITS) == BlockWord.topFlagOf(number)
            && (arrivals != null || !isPossible(length) || BlockWord.getByte(block, tailFlag(at, length)) == flag);
        return isThere ? word : NOTHING;
    }

    /** Where the tail flag of a message of that length is, which begins at {@code at}. */
    private int tailFlag(int at, int length) {
        return (at + shape.used(length) + ChannelShape.WORD - 1) % shape.blockBytes();
    }

    private boolean isPossible(int length) {
        return length >= 1 && length <= shape.maxMessage();
    }

    /** Bytes of messages that have been taken. */
    long taken() {
        return position;
    }

    /** Messages that have been taken. */
    long messages() {
        return number;
    }

    /** How many grains that is. */
    long takenGrains() {
        return position / shape.grain();
    }
}
