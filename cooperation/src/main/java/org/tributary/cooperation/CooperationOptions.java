package org.tributary.cooperation;

import java.util.ArrayList;
import java.util.List;
import org.tributary.config.ConfigException;
import org.tributary.config.CooperationMode;
import org.tributary.config.CooperationScope;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

/**
 * How the nodes of one job cooperate: the settings, checked against the job's layout.
 *
 * @param mode what the servers of a route do; {@link CooperationMode#NONE} also when groups have one node each
 * @param scope who owns channels to other groups
 * @param groups the groups of nodes
 * @param windowNs how long requests are held at most
 * @param windowBytes how many bytes of them
 * @param channelBytes receive ring of a channel, a multiple of 8
 * @param serverBytes bound of the rings of a server
 * @param bulkThreshold contiguous transfers from this many bytes on travel directly
 * @param directConnections that a rank keeps
 * @param serverConnections direct ones that a server admits
 * @param reorderFloatingPoint whether servers of a route may sum floating-point accumulates
 */
public record CooperationOptions(CooperationMode mode, CooperationScope scope, Groups groups, long windowNs,
    int windowBytes, int channelBytes, long serverBytes, int bulkThreshold, int directConnections,
    int serverConnections, boolean reorderFloatingPoint) {
    /** A quarter of the smallest receive ring. */
    private static final int WINDOW_BYTES = 16 << 10;

    /** Throws {@link ConfigException} with everything in the settings that does not fit the job. */
    public static CooperationOptions of(Settings settings, Topology topology) {
        List<String> problems = new ArrayList<>();
        Groups groups = Groups.consecutive(topology, 1);
        int size = settings.cooperationGroupSize();
        try {
            groups = settings.cooperationGroups().isPresent()
                ? Groups.parse(topology, settings.cooperationGroups().get())
                : Groups.consecutive(topology, size > 0 ? size : squareRoot(topology.nodeCount()));
        } catch (ConfigException e) {
            problems.addAll(e.problems());
        }
        boolean none = settings.cooperationMode() == CooperationMode.NONE
            || groups.count() == topology.nodeCount() && settings.cooperationScope() == CooperationScope.PROCESS;
        CooperationOptions options = new CooperationOptions(
            none ? CooperationMode.NONE : settings.cooperationMode(), settings.cooperationScope(), groups,
            settings.cooperationWindowNs(), WINDOW_BYTES,
            settings.cooperationChannelBytes() & -Long.BYTES, settings.cooperationServerBytes(),
            settings.cooperationBulkThreshold(), settings.cooperationDirectConnections(),
            settings.cooperationServerConnections(), settings.cooperationReorderFloatingPoint());
        if (problems.isEmpty() && !none) {
            checkMemory(options, topology, settings.cooperationRingBytes(), problems);
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return options;
    }

    private static int squareRoot(int nodes) {
        return (int) Math.ceil(Math.sqrt(nodes));
    }

    private static void checkMemory(CooperationOptions options, Topology topology, int ringBytes,
        List<String> problems) {
        int worst = -1;
        long most = 0;
        for (int node = 0; node < topology.nodeCount(); node++) {
            long bytes = (long) options.groups.incomingChannels(node, options.scope) * options.channelBytes
                + options.ringCount(topology, node) * (ringBytes + (long) options.channelBytes);
            if (bytes > most) {
                most = bytes;
                worst = node;
            }
        }
        if (most > options.serverBytes) {
            int rings = options.ringCount(topology, worst);
            problems.add("node " + worst + " has " + (options.groups.incomingChannels(worst, options.scope) + rings)
                + " receive rings of cooperation.channel-bytes = " + options.channelBytes
                + (rings == 0 ? "" : " and " + rings + " request rings of cooperation.ring-bytes = " + ringBytes)
                + ", " + most + " bytes in all, more than cooperation.server-bytes = " + options.serverBytes
                + "; larger groups or cooperation.scope = node need fewer channels");
        }
    }

    private int ringCount(Topology topology, int node) {
        return hasRings() ? topology.rankCount(node) : 0;
    }

    /** Whether ranks hand their requests to their own server in rings of shared memory. */
    public boolean hasRings() {
        return mode != CooperationMode.NONE && scope == CooperationScope.NODE;
    }

    /** The longest request that may be forwarded: half a ring, so that a sender without credit never waits in vain. */
    public int maxForwarded() {
        return channelBytes / 2;
    }
}
