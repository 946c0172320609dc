package org.tributary.wire.record;

import java.io.IOException;

/** What has come is no record of the stream: the connection cannot be used any more. */
public final class RecordException extends IOException {
    private static final long serialVersionUID = 1;

    RecordException(String message, Throwable cause) {
        super(message, cause);
    }
}
