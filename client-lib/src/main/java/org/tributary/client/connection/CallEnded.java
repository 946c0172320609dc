package org.tributary.client.connection;

import org.tributary.client.error.JobAbortedException;

/** A call has ended between two of its messages: the connection can still be used. */
public final class CallEnded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient JobAbortedException reason;

    /** {@code reason} is what its caller is told. */
    public CallEnded(JobAbortedException reason) {
        super(reason.getMessage(), reason, false, false);
        this.reason = reason;
    }

    JobAbortedException reason() {
        return reason;
    }
}
