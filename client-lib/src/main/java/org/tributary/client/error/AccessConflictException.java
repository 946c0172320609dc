package org.tributary.client.error;

/** Two accesses of one epoch to the same bytes of a window, of which at least one writes: their result is undefined. */
public final class AccessConflictException extends GasException {
    private static final long serialVersionUID = 1;

    /** Says which window, epoch, ranks and displacements. */
    public AccessConflictException(String message) {
        super(message);
    }
}
