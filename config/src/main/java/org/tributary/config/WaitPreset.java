package org.tributary.config;

/** How ranks and servers wait when nothing says otherwise. */
public enum WaitPreset {
    /** Spins only while traffic flows, then blocks in the kernel: kind to machines with more processes than cores. */
    SHARED,
    /** Spins practically for ever: for a machine with a core for every rank and server. */
    DEDICATED
}
