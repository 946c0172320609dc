package org.tributary.benchmarks.cooperation;

import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.Routes;

/** Figure 6 of the paper: bytes of receive rings that the server of a node needs when every channel is open. */
final class MemoryModel {
    private MemoryModel() {
    }

    /** Of the node that needs most, of the first group's. */
    static long bytes(Variant variant, int nodes, int ranksPerNode) {
        Topology topology = Topology.uniform(nodes, ranksPerNode);
        CooperationOptions options = variant.options(topology);
        Routes routes = new Routes(options, topology);
        long channels = 0;
        for (int i = 0; i < options.groups().size(0); i++) {
            channels = Math.max(channels, routes.incomingChannels(options.groups().member(0, i)));
        }
        return channels * options.channelBytes();
    }
}
