package org.tributary.client.link;

import org.tributary.client.error.GasException;

/** Told when an operation that nobody waits for now is complete. Called with the lock of {@link Links} held. */
public interface Callback {
    /** One operation is complete; {@code failure} is null when it succeeded. */
    void completed(GasException failure);
}
