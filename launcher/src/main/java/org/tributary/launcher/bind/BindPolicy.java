package org.tributary.launcher.bind;

/** To what ranks are bound. */
public enum BindPolicy {
    /** {@link #NUMA} where there is more than one such node and the machine has room, else {@link #NONE}. */
    AUTO,
    NONE,
    /** A core each, with all its hardware threads. */
    CORE,
    /** The cores of one NUMA node, shared with others. */
    NUMA
}
