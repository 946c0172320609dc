package org.tributary.server.connection;

/** Deals with the requests that one rank writes to memory. Owned by the event loop. */
interface RequestReader {
    /** Contents of the memory when a reader stops. */
    enum Left {
        /** Nothing was there. */
        NOTHING,
        /** There may be more. */
        MORE,
        /** Requests wait until the connection goes on. */
        HELD
    }

    /** Takes the requests that are there. */
    Left readRequests();
}
