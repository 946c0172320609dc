package org.tributary.server;

/** A communication server could not start; the message says what, where and what to do. */
public final class ServerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
