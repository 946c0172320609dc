package org.tributary.client.window;

/**
 * Steps that are all to be taken, whichever of them fails, and what the first one that failed has thrown: other ranks
 * wait for what the end of an epoch does. Failures after the first are suppressed in it. Owned by one window.
 */
final class FirstFailure {
    private RuntimeException first;

    /** Takes a step. */
    void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            note(e);
        }
    }

    /** A step has failed, unless that is null. */
    void note(RuntimeException failure) {
        if (first == null) {
            first = failure;
        } else if (failure != null && first != failure) { // a broken connection throws the same one each time
            first.addSuppressed(failure);
        }
    }

    boolean isNone() {
        return first == null;
    }

    /** Throws the first failure, once. */
    void rethrow() {
        if (first != null) {
            RuntimeException thrown = first;
            first = null;
            throw thrown;
        }
    }
}
