package org.tributary.server.io;

import java.lang.foreign.MemorySegment;
import org.tributary.fabric.RegionKey;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorCode;

/**
 * Answers to the requests of one connection that change the state of the node. Owned by the main event loop, whichever
 * loop the connection is of.
 */
public interface Replies {
    /** Answers with a value, or whether a lock is held. */
    void value(long requestId, long result);

    /** Answers that a request without a result has been executed. */
    void done(long requestId);

    /** Answers a get with a contiguous range, which is copied before this returns. */
    void copy(long requestId, MemorySegment source, long offset, int length);

    /**
     * Answers that a request is refused.
     *
     * @param requestId {@link Frames#NO_REQUEST} for a one-way request
     * @param bound     the limit that it does not keep to, or another number that {@code code} asks for
     */
    void error(long requestId, ErrorCode code, int rank, long segmentId, long offset, long length, long bound,
        String detail);

    /**
     * Answers how the network adapter reaches a part.
     *
     * @param key        null when it does not
     * @param partOffset where the part begins in the region
     * @param provider   of the adapter, empty when there is none
     * @param address    of the adapter's endpoint
     */
    void region(long requestId, RegionKey key, long partOffset, String provider, byte[] address);

    /** Sends what has been answered. */
    void flush();
}
