package org.tributary.client.window;

/** How a rank's part of a window is locked. */
public enum LockMode {
    /** Together with other shared locks. */
    SHARED(org.tributary.wire.codec.LockMode.SHARED),
    /** Alone. */
    EXCLUSIVE(org.tributary.wire.codec.LockMode.EXCLUSIVE);

    private final org.tributary.wire.codec.LockMode code;

    LockMode(org.tributary.wire.codec.LockMode code) {
        this.code = code;
    }

    org.tributary.wire.codec.LockMode code() {
        return code;
    }
}
