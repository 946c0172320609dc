package org.tributary.wire.shm;

/**
 * Where the parts of a segment lie in a node's file: in order of rank, each on a page boundary, so that parts can be
 * mapped, protected and placed on their own.
 *
 * <pre>
 *   +----------------+---------+----------------+-----+
 *   | part of 1st    | padding | part of 2nd    | ... |
 *   | member on node | to page | member on node |     |
 *   +----------------+---------+----------------+-----+
 * </pre>
 */
public final class SegmentLayout {
    /** Parts begin at multiples of this. */
    public static final long PART_ALIGNMENT = 4096;

    private final int[] ranks;
    private final long[] offsets;
    private final long[] lengths;
    private final long fileLength;

    /**
     * The layout of a node's parts.
     *
     * @param ranks   members on the node, ascending
     * @param lengths bytes of each, 0 or more
     */
    public SegmentLayout(int[] ranks, long[] lengths) {
        if (ranks.length != lengths.length) {
            throw new IllegalArgumentException(ranks.length + " ranks but " + lengths.length + " lengths");
        }
        this.ranks = ranks.clone();
        this.lengths = lengths.clone();
        this.offsets = new long[ranks.length];
        long end = 0;
        for (int i = 0; i < ranks.length; i++) {
            if (i > 0 && ranks[i] <= ranks[i - 1]) {
                throw new IllegalArgumentException("ranks not ascending: " + ranks[i - 1] + ", " + ranks[i]);
            }
            if (lengths[i] < 0) {
                throw new IllegalArgumentException("rank " + ranks[i] + " has a negative length: " + lengths[i]);
            }
            offsets[i] = end;
            end = Math.addExact(end, roundUp(lengths[i]));
        }
        this.fileLength = end;
    }

    private static long roundUp(long length) {
        return Math.addExact(length, PART_ALIGNMENT - 1) & -PART_ALIGNMENT;
    }

    public int partCount() {
        return ranks.length;
    }

    public int rank(int part) {
        return ranks[part];
    }

    /** Where a part begins in the file. */
    public long offset(int part) {
        return offsets[part];
    }

    /** Bytes of a part. */
    public long length(int part) {
        return lengths[part];
    }

    /** Bytes of the whole file. */
    public long fileLength() {
        return fileLength;
    }
}
