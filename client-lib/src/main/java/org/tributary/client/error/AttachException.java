package org.tributary.client.error;

/** A rank could not join its job. */
public final class AttachException extends GasException {
    private static final long serialVersionUID = 1L;

    public AttachException(String message, Throwable cause) {
        super(message, cause);
    }
}
