package org.tributary.server.frame;

/** Bytes that are no frame of the protocol: the connection they came from closes. */
public final class MalformedFrameException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedFrameException(String message) {
        super(message, null, false, false);
    }
}
