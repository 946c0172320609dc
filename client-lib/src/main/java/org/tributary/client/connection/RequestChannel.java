package org.tributary.client.connection;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Requests to a server by the network adapter, beside the connection. Guarded by the lock of the links. */
public interface RequestChannel {
    /**
     * Takes bytes.
     *
     * @return how many; 0 when there is no room
     * @throws IOException when the channel is broken
     */
    int write(MemorySegment source, int length) throws IOException;

    /** Whether something that was written may still need progress of the adapter to arrive. */
    boolean isUnderWay();

    /** Makes progress of the adapter; says whether something has happened. */
    boolean progress();

    /** The server has taken so much since the beginning; false when that cannot be. */
    boolean credit(long taken);

    /** Whether the server has taken everything. */
    boolean isAllTaken();

    /** Nothing more is written, and the server has taken everything. */
    void close();
}
