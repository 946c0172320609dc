package org.tributary.wire.record;

import java.io.IOException;

/** The kernel of this machine refuses what an encrypted connection needs: not a matter of the network. */
public final class KernelTlsException extends IOException {
    private static final long serialVersionUID = 1;

    KernelTlsException(String message) {
        super(message);
    }
}
