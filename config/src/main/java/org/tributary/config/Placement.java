package org.tributary.config;

/**
 * Which rank is where. Each placement of ranks has exactly one form, so equal forms are equal placements. Arguments are
 * in range: {@link Topology} checks them.
 */
interface Placement {
    NodeCounts counts();

    int nodeOf(int rank);

    /** How many ranks of the same node are lower. */
    int indexOf(int rank);

    int rankAt(int node, int index);
}
