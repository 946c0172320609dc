package org.tributary.client.error;

/** Something that the runtime could not do for its caller; the message says what, where and what to do next. */
public class GasException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure and what it is. */
    public GasException(String message) {
        super(message);
    }

    /** A failure, what it is and what it comes from. */
    public GasException(String message, Throwable cause) {
        super(message, cause);
    }
}
