package org.tributary.client.error;

/** The job has ended with an error, of this rank or another; nothing can be done any more but leave. */
public final class JobAbortedException extends GasException {
    private static final long serialVersionUID = 1L;

    /** Why the job ended. */
    public JobAbortedException(String message) {
        super(message);
    }

    /** Why the job ended, and what has shown it. */
    public JobAbortedException(String message, Throwable cause) {
        super(message, cause);
    }
}
