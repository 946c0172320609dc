package org.tributary.client.bootstrap;

import java.io.IOException;

/** A failure that all ranks know of, so that none has to be ended by the others. */
final class AgreedFailure extends IOException {
    private static final long serialVersionUID = 1L;

    AgreedFailure(String message) {
        super(message);
    }
}
