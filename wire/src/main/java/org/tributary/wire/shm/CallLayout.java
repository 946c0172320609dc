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

    /* Where the fields of a call begin; that of the kind begins with the word, and the root ends it. */
    static final int PURPOSE_SHIFT = 8;
    static final int OPERATION_SHIFT = 16;
    static final int TYPE_SHIFT = 24;
    static final int ROOT_SHIFT = 32;
    /** Of the kind, the purpose and the operation. The type has a bit less: {@link #NONE}. */
    static final int FIELD_MASK = 0xFF;

    private static final int COUNT_SHIFT = 52;

    private CallLayout() {
    }

    /** A call; the operation and the type may be {@link #NONE}, and the root is -1 when there is none. */
    public static long what(int kind, int purpose, int operation, int type, int root) {
        return kind | purpose << PURPOSE_SHIFT | operation << OPERATION_SHIFT | type << TYPE_SHIFT
            | (long) root << ROOT_SHIFT;
    }

    /** Which collective it is. */
    public static int kind(long what) {
        return (int) what & FIELD_MASK;
    }

    /** What it is a step of. */
    public static int purpose(long what) {
        return (int) (what >> PURPOSE_SHIFT) & FIELD_MASK;
    }

    /** How it combines elements. */
    public static int operation(long what) {
        return (int) (what >> OPERATION_SHIFT) & FIELD_MASK;
    }

    /** What it combines. */
    public static int type(long what) {
        return (int) (what >> TYPE_SHIFT) & NONE;
    }

    /** The member from which data comes, or to which it goes. */
    public static int root(long what) {
        return (int) (what >> ROOT_SHIFT);
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
