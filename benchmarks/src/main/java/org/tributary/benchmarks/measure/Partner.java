package org.tributary.benchmarks.measure;

import java.util.OptionalInt;
import org.tributary.config.Topology;

/** With which rank rank 0 measures. */
public final class Partner {
    private static final int ORIGIN = 0;

    private Partner() {
    }

    /** The next rank of rank 0's node; empty when there is no other. */
    public static OptionalInt onNode(Topology topology) {
        int node = topology.nodeOf(ORIGIN);
        return topology.rankCount(node) > 1 ? OptionalInt.of(topology.rankAt(node, 1)) : OptionalInt.empty();
    }

    /** The first rank of the first other node; empty when there is none. */
    public static OptionalInt onOtherNode(Topology topology) {
        return topology.nodeCount() == 1 ? OptionalInt.empty()
            : OptionalInt.of(topology.firstRank(topology.nodeOf(ORIGIN) == 0 ? 1 : 0));
    }
}
