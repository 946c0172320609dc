package org.tributary.wire.shm;

/**
 * One rank's inbox for the collectives of one group: what other ranks write into it and it alone reads, and what it
 * tells them of itself.
 *
 * <pre>
 *   for each round r of ROUNDS(group size):
 *     for each parity p of 0, 1 (of the collective's sequence number):
 *       for each buffer b of 0, 1 (of the chunk's number):
 *         0        64
 *         +--------+---------------------+
 *         | flag   | chunk               |
 *         | int64  | chunkBytes          |
 *         +--------+---------------------+
 *   for each round r, for each parity p:
 *         +--------+
 *         | ack    |  int64, one cache line
 *         +--------+
 *   then the call that the owner makes (CallLayout), which it alone writes and others read when they doubt that theirs
 *   is the same
 * </pre>
 *
 * <p>Thread-safe: immutable.
 */
public final class CollectiveLayout {
    /** Segment that holds the inboxes of the group of all ranks; every server creates it at its start. */
    public static final long WORLD_SEGMENT = 0;
    /** Vectors from this size on are reduced and gathered by parts instead of as a whole. */
    public static final int LONG_VECTOR_BYTES = 8192;
    /** All-to-all of n members sends blocks up to this size divided by log2 n by way of other members. */
    public static final int SMALL_BLOCK_BYTES = 12 * 1024;
    static final int LINE = 64;
    static final int PARITIES = 2;
    static final int BUFFERS = 2;

    private final int rounds;
    private final int chunkBytes;

    /** The inbox of a member of a group of that size; chunks are rounded up to whole cache lines. */
    public CollectiveLayout(int groupSize, int chunkBytes) {
        this.rounds = rounds(groupSize);
        this.chunkBytes = (chunkBytes + LINE - 1) / LINE * LINE;
    }

    /**
     * Rounds that a collective of a group may use, whatever its nodes are: log2 a + 2 log2 m for m nodes of at most a
     * members, logarithms rounded up. As a + m is at most the size of the group n plus one, both cannot be log2 n at
     * once, so that 3 log2 n - 1 are enough.
     */
    public static int rounds(int groupSize) {
        int log2 = groupSize <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(groupSize - 1);
        return Math.max(1, 3 * log2 - 1);
    }

    /** Rounds of this inbox. */
    public int rounds() {
        return rounds;
    }

    public int chunkBytes() {
        return chunkBytes;
    }

    public long flagOffset(int round, long sequence, long chunk) {
        long slot = ((long) round * PARITIES + (sequence & 1)) * BUFFERS + (chunk & 1);
        return slot * (LINE + chunkBytes);
    }

    public long chunkOffset(int round, long sequence, long chunk) {
        return flagOffset(round, sequence, chunk) + LINE;
    }

    /** Where the acknowledgement of what this rank sent in a round lies. */
    public long ackOffset(int round, long sequence) {
        return (long) rounds * PARITIES * BUFFERS * (LINE + chunkBytes)
            + ((long) round * PARITIES + (sequence & 1)) * LINE;
    }

    public long callOffset() {
        return (long) rounds * PARITIES * (BUFFERS * (long) (LINE + chunkBytes) + LINE);
    }

    /** Bytes of the inbox. */
    public long bytes() {
        return callOffset() + CallLayout.BYTES;
    }
}
