package org.tributary.simulator;

import java.util.SplittableRandom;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.Routes;

/**
 * Layout, options, event loops of each server, routes, costs, faults, events and random numbers that all parts of a
 * simulated job share.
 */
record Conditions(Topology topology, CooperationOptions options, int loops, Routes routes, Costs costs, Faults faults,
    Events events, SplittableRandom random) {
    boolean losesServer() {
        return faults.lostNode() >= 0;
    }

    long delayNs() {
        return faults.maxDelayNs() > 0 ? random.nextLong(faults.maxDelayNs()) : 0;
    }
}
