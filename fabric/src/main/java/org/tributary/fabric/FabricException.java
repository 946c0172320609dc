package org.tributary.fabric;

/** A failure of libfabric or of one of its providers, or a provider that cannot be used. */
public final class FabricException extends RuntimeException {
    /** There is no such thing (ENOSYS). */
    public static final int NO_SYSTEM_CALL = -Shim.NO_SYSTEM_CALL;
    /** Memory that is not there, or must not be written (EFAULT). */
    public static final int BAD_ADDRESS = 14;

    private static final long serialVersionUID = 1L;

    private final int code;

    /** {@code code}: libfabric's number of the error. */
    public FabricException(String message, int code) {
        super(message);
        this.code = code;
    }

    /** libfabric's number of the error ({@code fi_errno}), positive; 0 when there is none. */
    public int code() {
        return code;
    }
}
