package org.tributary.wire.shm;

/**
 * How a member of a group describes its call of a collective, for the others to compare with theirs.
 *
 * <pre>
 *   0        8        16       24       32        40       48              128
 *   +--------+--------+--------+--------+---------+--------+---------------+
 *   | number | key    | what   | bytes  | subject | length | text, UTF-8   |
 *   +--------+--------+--------+--------+---------+--------+---------------+
 *
 *   what:  bits 0..7    8..15     16..23      24..30   31       32..63
 *               kind    purpose   operation   type     given    root
 *                                                      up
 * </pre>
 *
 * <p>The subject is that of the purpose, combined by exclusive or with what the member has closed since its previous
 * call: the sum of the numbers of the segments, with how many they are in the highest bits.
 */
public final class CallLayout {
    public static final long NUMBER_OFFSET = 0;
    public static final long KEY_OFFSET = 8;
    public static final long WHAT_OFFSET = 16;
    public static final long BYTES_OFFSET = 24;
    public static final long SUBJECT_OFFSET = 32;
    public static final long LENGTH_OFFSET = 40;
    public static final long TEXT_OFFSET = 48;
    /** Bytes of the description. */
    public static final int BYTES = 128;

    /* Kinds of calls. */
    public static final int BARRIER = 1;
    public static final int BROADCAST = 2;
    public static final int REDUCE = 3;
    public static final int ALLREDUCE = 4;
    public static final int REDUCE_SCATTER = 5;
    public static final int ALLGATHER = 6;
    public static final int ALL_TO_ALL = 7;

    /** No operation or type. */
    public static final int NONE = 0x7F;
    /** The bit of a call that its member has given up. */
    public static final long GAVE_UP = 1L << 31;

    private static final int COUNT_SHIFT = 52;

    private CallLayout() {
    }

    /** Adds a segment to those that a member has closed between two calls. */
    public static long closings(long before, long segment) {
        return before + segment + (1L << COUNT_SHIFT);
    }

    /** How many segments a member has closed between two calls. */
    public static int closingCount(long closings) {
        return (int) (closings >>> COUNT_SHIFT);
    }

    /** The segment, if it is one. */
    public static long closedSegment(long closings) {
        return closings & (1L << COUNT_SHIFT) - 1;
    }
}
