package org.tributary.benchmarks.onesided;

import java.util.Optional;
import org.tributary.benchmarks.measure.Partner;
import org.tributary.config.EnumText;
import org.tributary.config.Topology;

/** Where the target is, seen from rank 0. */
enum Route {
    /** Another rank of rank 0's node, or rank 0 itself when there is no other. */
    NODE,
    /** The first rank of another node. */
    REMOTE;

    static final int ORIGIN = 0;

    /** The target's rank; empty when the job has no such rank. */
    Optional<Integer> target(Topology topology) {
        if (this == REMOTE) {
            return Partner.onOtherNode(topology).stream().boxed().findAny();
        }
        return Optional.of(Partner.onNode(topology).orElse(ORIGIN));
    }

    /** As on the command line and in results. */
    @Override
    public String toString() {
        return EnumText.underscored(this);
    }
}
