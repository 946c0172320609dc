package org.tributary.client.window;

import org.tributary.client.RmaOperation;

/** What looks for conflicting accesses of an epoch, where that was asked for. Owned by one window. */
interface AccessCheck {
    /** No checks. */
    AccessCheck NONE = new AccessCheck() {
        @Override
        public void operation(RmaOperation operation, int member, long low, long high) {
            // Not asked for.
        }

        @Override
        public void accessEnds(int member) {
            // Not asked for.
        }

        @Override
        public void free() {
            // It has nothing.
        }
    };

    /** For {@link #accessEnds}: the accesses to every member. */
    int ALL = -1;

    /**
     * An operation is about to be issued.
     *
     * @param low  bytes before its offset that it touches, as a number not above 0
     * @param high bytes from its offset on that it touches
     * @throws org.tributary.client.error.AccessConflictException when it conflicts with another of the same epoch
     */
    void operation(RmaOperation operation, int member, long low, long high);

    /** The own access epoch towards a member, or towards {@link #ALL}, has ended. */
    void accessEnds(int member);

    /** Gives up what belongs to the check; collective. */
    void free();
}
