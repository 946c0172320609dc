package org.tributary.client.window;

/** How a rank's part of a window is locked. */
public enum LockMode {
    /** Together with other shared locks. */
    SHARED,
    /** Alone. */
    EXCLUSIVE;

    /** The mode as all of the library but the API knows it. */
    org.tributary.wire.codec.LockMode onTheWire() {
        return this == EXCLUSIVE ? org.tributary.wire.codec.LockMode.EXCLUSIVE
            : org.tributary.wire.codec.LockMode.SHARED;
    }
}
