package org.tributary.client.error;

/**
 * A thread was interrupted while it waited for a mutex, or for the lock of an RMA window. Its rank does not hold that
 * now; the interrupt status is set. The rank's place in the queue stays until its turn comes, and is passed on then.
 */
public final class WaitInterruptedException extends GasException {
    private static final long serialVersionUID = 1L;

    public WaitInterruptedException(String message) {
        super(message);
    }
}
