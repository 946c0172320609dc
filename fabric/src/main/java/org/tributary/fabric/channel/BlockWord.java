package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The word of a message: after its bytes in bottom designs, before them in top designs. Little-endian.
 *
 * <pre>
 *   byte 0-2   the length of the message
 *   byte 3-5   credit: the grains that its sender has taken from the other direction, modulo 2^24
 *              bottom                          top
 *   byte 6     0                               flag
 *   byte 7     flag                            tail flag of the message before
 * </pre>
 *
 * <p>The flag is made of the message's number, so it is never 0, and what an earlier message has left in the same place
 * is no flag of this one. In top designs a tail word follows the message. Its last byte is the tail flag: the flag once
 * more, with bit 7 set if it would otherwise be the byte that lies there already. Its other bytes are 0: they clear the
 * flag of the message that comes next.
 */
final class BlockWord {
    /** How many flags there are in bottom designs; of 8 bits, without 0. */
    private static final int BOTTOM_FLAGS = 255;
    /** In top designs bit 7 is free to differ. */
    private static final int TOP_FLAGS = 127;
    static final int TOP_FLAG_BITS = 0x7f;
    static final int TOP_OTHER = 0x80;
    static final int BITS_24 = 0xffffff;
    private static final int CREDIT_SHIFT = 24;
    private static final int TOP_SHIFT = 48;
    private static final int LAST_SHIFT = 56;
    private static final VarHandle WORDS =
        ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle BYTES = ValueLayout.JAVA_BYTE.varHandle();

    private BlockWord() {
    }

    static long bottom(int length, int credit, int flag) {
        return common(length, credit) | (long) flag << LAST_SHIFT;
    }

    static long top(int length, int credit, int flag, int tailBefore) {
        return common(length, credit) | (long) flag << TOP_SHIFT | (long) tailBefore << LAST_SHIFT;
    }

    private static long common(int length, int credit) {
        return length | (long) (credit & BITS_24) << CREDIT_SHIFT;
    }

    static long tail(int flag) {
        return (long) flag << LAST_SHIFT;
    }

    static int length(long word) {
        return (int) word & BITS_24;
    }

    static int credit(long word) {
        return (int) (word >>> CREDIT_SHIFT) & BITS_24;
    }

    /** That of a word at the bottom; in a top word, the tail flag of the message before. */
    static int last(long word) {
        return (int) (word >>> LAST_SHIFT);
    }

    static int topFlag(long word) {
        return (int) (word >>> TOP_SHIFT) & 0xff;
    }

    static int bottomFlagOf(long number) {
        return (int) (number % BOTTOM_FLAGS) + 1;
    }

    static int topFlagOf(long number) {
        return (int) (number % TOP_FLAGS) + 1;
    }

    /** Plain: the write that carries it orders it. */
    static void put(MemorySegment memory, long at, long word) {
        WORDS.set(memory, at, word);
    }

    /** Acquire; partner: the remote write, whose last byte is its last. */
    static long get(MemorySegment memory, long at) {
        return (long) WORDS.getAcquire(memory, at);
    }

    /** The byte at {@code at}, 0 to 255. Acquire; partner: as of {@link #get}. */
    static int getByte(MemorySegment memory, long at) {
        return (byte) BYTES.getAcquire(memory, at) & 0xff;
    }
}
