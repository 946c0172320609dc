package org.tributary.server.io;

/**
 * The incoming side of one encrypted connection, whether this process or the kernel opens its records. Owned by the
 * event loop.
 */
public sealed interface SecuredStream permits IncomingRecords, KernelStream {
    /** The problem of a stream that has ended without the record that announces its end. */
    String CUT_OFF = "its stream ended without a last record";

    /** Of a connection that is closed now: what is strange about its end, or null. */
    String problemOfEnd();

    /** Gives its memory back. */
    void release();
}
