package org.tributary.wire.shm;

/**
 * How the members of a group are told why a step of theirs has failed on one of them.
 *
 * <pre>
 *   0        4      8      12     20     28       32                512
 *   +--------+------+------+------+------+--------+------------------+
 *   | status | rank | node | need | free | length | text, UTF-8      |   big-endian
 *   +--------+------+------+------+------+--------+------------------+
 * </pre>
 */
public final class FailureLayout {
    public static final int STATUS_OFFSET = 0;
    public static final int RANK_OFFSET = 4;
    public static final int NODE_OFFSET = 8;
    public static final int NEED_OFFSET = 12;
    public static final int FREE_OFFSET = 20;
    public static final int LENGTH_OFFSET = 28;
    public static final int TEXT_OFFSET = 32;
    /** Bytes of the description. */
    public static final int BYTES = 512;

    private FailureLayout() {
    }
}
