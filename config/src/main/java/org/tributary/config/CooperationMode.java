package org.tributary.config;

/** Ways in which servers between a rank and its target pass on its requests ({@code cooperation.mode}). */
public enum CooperationMode {
    /** There are none between: every rank talks to every node's server. */
    NONE,
    /** A member of the target's group passes on each request by itself. */
    FORWARD,
    /** It passes on together what arrives together. */
    AGGREGATE,
    /** It also makes one request of several fetch-and-adds to one word, or accumulates to one range. */
    COMBINE
}
