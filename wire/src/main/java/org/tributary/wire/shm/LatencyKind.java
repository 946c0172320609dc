package org.tributary.wire.shm;

/** The calls whose times a rank notes in its {@link Latencies}; the code is the ordinal. */
public enum LatencyKind {
    /** A blocking get from another node. */
    GET,
    /** A fetch-and-add, swap or compare-and-swap at another node. */
    ATOMIC,
    /** A mutex or the lock of a window, asked of a server: waiting for its holder included. */
    LOCK,
    /** A fence that had to wait for a server. */
    FENCE,
    /** A barrier of a group; of short ones a sample ({@link LatencySample}). */
    BARRIER,
    /** Any other collective, likewise. */
    COLLECTIVE,
    /** A fence of a window, likewise. */
    WINDOW_FENCE,
    /** The start of an access epoch of a window, its end, or the wait for the end of an exposure, likewise. */
    WINDOW_EPOCH,
    /** An unlock or a flush of a window towards other nodes, likewise; its locks are {@link #LOCK}. */
    WINDOW_UNLOCK
}
