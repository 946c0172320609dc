package org.tributary.config;

/** Who owns a channel to a member of another group. */
public enum CooperationScope {
    /** Each rank. */
    PROCESS,
    /** The server of the node, for all its ranks, which hand it their requests through shared memory. */
    NODE
}
