package org.tributary.client.error;

/**
 * A request named memory that it may not touch: outside a segment, of a freed segment, of a rank that does not exist or
 * has no part, or not aligned. No memory was touched.
 */
public final class InvalidAddressException extends GasException {
    private static final long serialVersionUID = 1L;

    private final int rank;
    private final long segment;
    private final long offset;
    private final long lengthInBytes;
    private final long limit;

    /**
     * A problem of an access, and the place in global memory.
     *
     * @param limit the part's length in bytes, or the alignment or count that was not kept
     */
    public InvalidAddressException(String problem, int rank, long segment, long offset, long lengthInBytes,
        long limit) {
        this(rank, segment, offset, lengthInBytes, limit, problem + ": rank " + rank + ", segment "
            + Long.toHexString(segment) + ", offset " + offset + ", length " + lengthInBytes + ", limit " + limit);
    }

    /** An access of a rank to memory that it has closed itself. */
    public static InvalidAddressException closed(int rank, long segment) {
        return new InvalidAddressException(rank, segment, 0, 0, 0, "the memory is closed: rank " + rank
            + " has closed segment " + Long.toHexString(segment) + " and must not use it any more");
    }

    private InvalidAddressException(int rank, long segment, long offset, long lengthInBytes, long limit,
        String message) {
        super(message);
        this.rank = rank;
        this.segment = segment;
        this.offset = offset;
        this.lengthInBytes = lengthInBytes;
        this.limit = limit;
    }

    /** The same, saying also in the course of what. */
    public InvalidAddressException during(String what) {
        InvalidAddressException more = new InvalidAddressException(rank, segment, offset, lengthInBytes, limit,
            getMessage() + "; " + what);
        more.initCause(this);
        return more;
    }

    /** Target rank; of memory that is {@link #closed}, the one that has closed it. */
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

    /** Bytes asked for. */
    public long lengthInBytes() {
        return lengthInBytes;
    }

    /** The limit that was not kept. */
    public long limit() {
        return limit;
    }
}
