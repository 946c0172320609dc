package org.tributary.wire;

import java.io.IOException;

/** The other side of a connection did not admit this one, or could not prove itself; the message says why. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** A refusal and its reason. */
    public RefusedException(String message) {
        super(message);
    }
}
