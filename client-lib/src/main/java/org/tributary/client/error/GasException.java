package org.tributary.client.error;

/** Something that the runtime could not do for its caller; the message says what, where and what to do next. */
public class GasException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public GasException(String message) {
        super(message);
    }

    public GasException(String message, Throwable cause) {
        super(message, cause);
    }
}
