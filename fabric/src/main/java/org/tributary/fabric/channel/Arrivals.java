package org.tributary.fabric.channel;

/**
 * Which writes have arrived, by the data that they carry: 16 bits.
 *
 * <pre>
 *   bit 15      0: part of a message            1: credit
 *   bit 14      1: the message goes on in       bits 0-14: the grains that the
 *               the next write                  other side has taken, modulo 2^15
 *   bit 0-13    number of the write, modulo 2^14
 * </pre>
 *
 * <p>Writes may arrive in any order and be told twice.
 */
final class Arrivals {
    static final int CREDIT = 1 << 15;
    static final int CREDIT_BITS = CREDIT - 1;
    private static final int MORE = 1 << 14;
    private static final int NUMBERS = 1 << 14;
    /** More than can be under way, and at most half of the numbers, so that old ones are told from new ones. */
    private static final int WINDOW = NUMBERS / 2;

    private final long[] arrived = new long[WINDOW / Long.SIZE];
    private final long[] unfinished = new long[WINDOW / Long.SIZE];
    private int next;

    static int data(int number, boolean more) {
        return number & NUMBERS - 1 | (more ? MORE : 0);
    }

    /** Notes a write; one that was noted before changes nothing. */
    void note(int data) {
        int number = data & NUMBERS - 1;
        if ((number - next & NUMBERS - 1) >= WINDOW) {
            return; // taken already
        }
        set(arrived, number, true);
        set(unfinished, number, (data & MORE) != 0);
    }

    /** Whether all writes of the next message are there. */
    boolean isComplete() {
        return isSet(arrived, next) && (!isSet(unfinished, next) || isSet(arrived, next + 1));
    }

    /** The next message has been taken. */
    void take() {
        int writes = isSet(unfinished, next) ? 2 : 1;
        for (int i = 0; i < writes; i++) {
            set(arrived, next, false);
            set(unfinished, next, false);
            next = next + 1 & NUMBERS - 1;
        }
    }

    private static boolean isSet(long[] bits, int number) {
        int at = number & WINDOW - 1;
        return (bits[at / Long.SIZE] >>> at & 1) != 0;
    }

    private static void set(long[] bits, int number, boolean value) {
        int at = number & WINDOW - 1;
        long bit = 1L << at;
        bits[at / Long.SIZE] = value ? bits[at / Long.SIZE] | bit : bits[at / Long.SIZE] & ~bit;
    }
}
