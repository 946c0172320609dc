package org.tributary.globalarrays.file;

import org.tributary.client.error.GasException;

/**
 * A file cannot be read or written, is damaged, or does not fit; the message has the file, and where it matters the
 * offset and the checksums. All ranks that take part get the same one.
 */
public final class ArrayFileException extends GasException {
    private static final long serialVersionUID = 1;

    ArrayFileException(String message) {
        super(message);
    }

    ArrayFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
