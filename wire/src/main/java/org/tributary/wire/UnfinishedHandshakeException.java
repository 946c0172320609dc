package org.tributary.wire;

import java.io.IOException;

/**
 * A connection broke before its handshake was over: the other side has ended, or had no more patience with this one,
 * which was slow or stopped.
 */
public final class UnfinishedHandshakeException extends IOException {
    private static final long serialVersionUID = 1L;

    UnfinishedHandshakeException(String message, IOException cause) {
        super(message, cause);
    }
}
