package org.tributary.client.error;

/** The network adapter has not moved the data of an operation; a part of them may have been moved. */
public final class AdapterException extends GasException {
    private static final long serialVersionUID = 1L;

    private final int rank;
    private final long segment;
    private final long offset;

    /**
     * A failed operation and its place in global memory.
     *
     * @param what    the operation, in words
     * @param problem what the provider says
     */
    public AdapterException(String what, String problem, int rank, long segment, long offset) {
        super(what + " failed in the network adapter: rank " + rank + ", segment " + Long.toHexString(segment)
            + ", offset " + offset + ": " + problem);
        this.rank = rank;
        this.segment = segment;
        this.offset = offset;
    }

    /** Target rank. */
    public int rank() {
        return rank;
    }

    /** Id of the segment. */
    public long segment() {
        return segment;
    }

    /** Byte offset in the rank's part. */
    public long offset() {
        return offset;
    }
}
