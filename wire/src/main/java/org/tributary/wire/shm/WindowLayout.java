package org.tributary.wire.shm;

/**
 * Where the control words of one rank's part of a window lie. The segment of control words is of a kind of its own: no
 * put, get, accumulate or atomic touches it, only completions, signals and lock requests do.
 *
 * <pre>
 *   0                8                  16              64            128 + 8 * member
 *   +----------------+------------------+---------------+-------------+----------------------+
 *   | fence count    | exposure count   | ready count   | lock word   | exposures posted,    |
 *   | int64          | int64            | int64         | int64       | int64 for each       |
 *   |                |                  |               |             | member of the group  |
 *   +----------------+------------------+---------------+-------------+----------------------+
 * </pre>
 *
 * <p>Counts only grow, and epochs compare them with sums that all sides know, so none is ever reset.
 */
public final class WindowLayout {
    /** Operations, or ends of epochs, of other members' fence epochs that have been executed at this rank. */
    public static final long FENCE_COUNT = 0;
    /** Access epochs of other members towards this rank that have ended. */
    public static final long EXPOSURE_COUNT = 8;
    /** Other members that are ready for the next epoch, of all epochs so far. */
    public static final long READY_COUNT = 16;
    /** The word of {@link WindowLock}. */
    public static final long LOCK = 64;
    private static final long POSTS = 128;

    private WindowLayout() {
    }

    /** Counts how often the member has exposed its part to this rank. */
    public static long posts(int member) {
        return POSTS + (long) member * Long.BYTES;
    }

    /** Bytes of one rank's control words in a window of so many members. */
    public static long bytes(int members) {
        return posts(members);
    }
}
