package org.tributary.server;

/** Bytes that are no frame of the protocol: the connection they came from closes. */
final class MalformedFrameException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedFrameException(String message) {
        super(message, null, false, false);
    }
}
