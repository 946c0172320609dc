package org.tributary.client.connection;

import org.tributary.client.error.GasException;

/** Told when an operation that nobody waits for now is complete. Called with the lock of the links held. */
public interface Callback {
    /** One operation is complete; {@code failure} is null when it succeeded. */
    void completed(GasException failure);
}
