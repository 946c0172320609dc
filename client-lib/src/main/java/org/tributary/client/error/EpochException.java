package org.tributary.client.error;

/**
 * A call on a window that its synchronization does not allow now: an operation outside an epoch, epochs nested wrongly,
 * a broken promise. Nothing has been done.
 */
public final class EpochException extends GasException {
    private static final long serialVersionUID = 1;

    /** Says which window, which epoch, and what was called. */
    public EpochException(String message) {
        super(message);
    }
}
