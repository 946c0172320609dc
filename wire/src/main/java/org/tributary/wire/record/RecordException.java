package org.tributary.wire.record;

import java.io.IOException;

/** Bytes have come that are no record of the stream: the connection cannot be used any more. */
public final class RecordException extends IOException {
    private static final long serialVersionUID = 1;

    static final String CHANGED = "it was changed, dropped, repeated or put out of order on its way, or the other side"
        + " has other keys";

    RecordException(String message) {
        super(message);
    }

    /** Of a record that the kernel has refused, which nobody has counted. */
    public static RecordException ofKernel(IOException failure) {
        RecordException refused = new RecordException("a record of an encrypted stream does not verify: " + CHANGED);
        refused.initCause(failure);
        return refused;
    }

    /** Of record number {@code index} of a stream. */
    static RecordException at(long index, String problem) {
        return new RecordException("record " + index + " of an encrypted stream does not verify: " + problem);
    }
}
