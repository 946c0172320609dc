package org.tributary.wire.shm;

/**
 * Where the control words of one rank's part of a window lie. The segment of control words is of a kind of its own: no
 * put, get, accumulate or atomic touches it, only completions, signals and lock requests do.
 *
 * <pre>
 *   0             8             16            64          128 + 16 * member      136 + 16 * member
 *   +-------------+-------------+-------------+-----------+----------------------+----------------------+
 *   | fence count | ready count | fence step  | lock word | exposures posted by  | access epochs ended  |
 *   | int64       | int64       | int64       | int64     | the member, int64    | by the member, int64 |
 *   +-------------+-------------+-------------+-----------+----------------------+----------------------+
 * </pre>
 *
 * <p>Counts only grow, and epochs compare them with sums that all sides know, so none is ever reset.
 */
public final class WindowLayout {
    /** Operations, or ends of epochs, of other members' fence epochs that have been executed at this rank. */
    public static final long FENCE_COUNT = 0;
    /** Other members that are ready for the next epoch, of all epochs so far. */
    public static final long READY_COUNT = 8;
    /**
     * How far this rank is, which writes it for those who look why others wait: {@link #sentStep} or {@link #readyStep}
     * of its last fence. It decides nothing.
     */
    public static final long FENCE_STEP = 16;
    /** The word of {@link WindowLock}. */
    public static final long LOCK = 64;
    private static final long MEMBERS = 128;
    private static final long OF_MEMBER = 16;

    private WindowLayout() {
    }

    /** Counts how often the member has exposed its part to this rank. */
    public static long posts(int member) {
        return MEMBERS + member * OF_MEMBER;
    }

    /** Counts how many access epochs of the member towards this rank have ended. */
    public static long ends(int member) {
        return posts(member) + Long.BYTES;
    }

    /** The rank has sent all its operations of the epoch that its fence of that number ends; from 1 on. */
    public static long sentStep(long fence) {
        return 2 * fence - 1;
    }

    /** The rank has told others that it is ready for the epoch that its fence of that number begins. */
    public static long readyStep(long fence) {
        return 2 * fence;
    }

    /** Bytes of one rank's control words in a window of so many members. */
    public static long bytes(int members) {
        return posts(members);
    }
}
