package org.tributary.client.window;

/** How access epochs of post-start-complete-wait and of locks are made. */
public enum EpochDesign {
    /** Chosen for each epoch from a cost model. */
    AUTO,
    /** Synchronizes when the epoch begins and issues operations at once. */
    IMMEDIATE,
    /** Queues operations and does everything when the epoch ends, with as few messages as that allows. */
    DEFERRED
}
