package org.tributary.client.error;

/** A mutex was locked by a rank that holds it already, or unlocked by one that does not. The mutex is unchanged. */
public final class MutexStateException extends GasException {
    private static final long serialVersionUID = 1L;

    public MutexStateException(String message) {
        super(message);
    }
}
