package org.tributary.client.window;



/** Looks for conflicting accesses of an epoch, thoroughly only on request. Owned by one window. */
interface AccessCheck {
    /** For members: all of them. */
    int ALL = -1;

    /**
     * An operation is about to be issued.
     *
     * @param isReady whether the target is known to have exposed its part, if that is how access was given
     * @throws org.tributary.client.error.AccessConflictException when it conflicts with another of the same epoch; it
     *     is not issued then
     */
    default void operation(RmaOperation operation, int member, long displacement, Epochs.Access access,
        boolean isReady) {
        // It does not matter.
    }

    /** The operation that was about to be issued last, to this member, has failed. */
    default void withdraw(RmaOperation operation, int member) {
        // It does not matter.
    }

    /** A fence has ended an epoch. */
    default void fenced() {
        // It does not matter.
    }

    /** The own part is about to be exposed. */
    default void posts() {
        // It does not matter.
    }

    /** Whether operations wait for {@link #looksAtQueued} until their targets have exposed their parts. */
    default boolean hasQueued() {
        return false;
    }

    /**
     * Looks at operations whose targets were not ready when they were issued, and now are.
     *
     * @return what is to be thrown once the epoch has ended, or null
     */
    default RuntimeException looksAtQueued() {
        return null;
    }

    /** An access epoch begun by start has ended. */
    default void completed() {
        // It does not matter.
    }

    /** A member's part is locked. */
    default void locked(int member, boolean isExclusive) {
        // It does not matter.
    }

    /** Operations on a locked part, or those on {@link #ALL}, are about to be completed. */
    default void flushes(int member) {
        // It does not matter.
    }

    /** Gets from a locked part, or from {@link #ALL}, have been completed, and maybe no other operations. */
    default void getsDone(int member) {
        // It does not matter.
    }

    /** Closes what belongs to the check; collective. */
    default void close() {
        // It has nothing.
    }
}
