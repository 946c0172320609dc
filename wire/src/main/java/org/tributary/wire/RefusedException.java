package org.tributary.wire;

import java.io.IOException;
import org.tributary.wire.codec.RefusalCode;

/** The other side of a connection did not admit this one, or could not prove itself; the message says why. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final RefusalCode code;

    public RefusedException(RefusalCode code, String message) {
        super(message);
        this.code = code;
    }

    public RefusalCode code() {
        return code;
    }
}
