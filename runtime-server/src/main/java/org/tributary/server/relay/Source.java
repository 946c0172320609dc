package org.tributary.server.relay;

import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.io.Requester;
import org.tributary.wire.codec.Role;

/** A connection whose requests may be passed on to other servers. Owned by the event loop. */
public interface Source {
    Role role();

    /** Of a server, the number of its node. */
    int rank();

    /** The rank whose request is at hand. */
    Requester requester();

    ReplyWriter replies();

    /** Executes a request here. */
    void execute(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
        int payload);

    /** The payload of the request that is executed here is complete; it may be held up. */
    void executePayload();

    /** Whether it waits for a lock of accumulates. */
    boolean isHeldUp();

    /** Reads on, after a wait. */
    void goOn();
}
