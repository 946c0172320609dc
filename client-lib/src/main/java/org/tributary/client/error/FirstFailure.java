package org.tributary.client.error;

/**
 * Steps that are all to be taken, whichever of them fails, and what the first one that failed has thrown: other ranks
 * may wait for what the next ones do. Failures after the first are suppressed in it. Not thread-safe.
 */
public final class FirstFailure {
    private RuntimeException first;

    /** Takes a step. */
    public void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            note(e);
        }
    }

    /** A step has failed, unless that is null. */
    public void note(RuntimeException failure) {
        if (first == null) {
            first = failure;
        } else if (failure != null && first != failure) { // a broken connection throws the same one each time
            first.addSuppressed(failure);
        }
    }

    /** Whether no step has failed. */
    public boolean isNone() {
        return first == null;
    }

    /** Throws the first failure, once. */
    public void rethrow() {
        if (first != null) {
            RuntimeException thrown = first;
            first = null;
            throw thrown;
        }
    }
}
