package org.tributary.client.window;

/** A promise of the program at a synchronization call, so that work can be left out. A false promise is an error. */
public enum Assertion {
    /**
     * Post, start: every post is certain to have been called before the matching start. Lock: no other rank holds or
     * requests a conflicting lock.
     */
    NOCHECK,
    /** Fence, post: the own part has not been stored to, directly, since the last synchronization. */
    NOSTORE,
    /** Fence, post: the own part will not be the target of puts and accumulates until the next synchronization. */
    NOPUT,
    /** Fence, by all members: no operations have been issued since the last fence. */
    NOPRECEDE,
    /** Fence, by all members: no operations will be issued until the next fence. */
    NOSUCCEED;

    boolean isIn(Assertion... assertions) {
        for (Assertion assertion : assertions) {
            if (assertion == this) {
                return true;
            }
        }
        return false;
    }
}
