package org.tributary.cooperation;

import org.tributary.config.CooperationMode;
import org.tributary.config.CooperationScope;
import org.tributary.config.Topology;

/**
 * Where a request goes next. It takes two channels at most: one to a member of the target's group, from there one to
 * the target. A request that has taken a channel within a group is executed where it arrives, so those channels always
 * drain, and then those between groups: nobody waits for credit in a circle. Immutable.
 */
public final class Routes {
    private final CooperationOptions options;
    private final Groups groups;
    private final Topology topology;

    public Routes(CooperationOptions options, Topology topology) {
        this.options = options;
        this.groups = options.groups();
        this.topology = topology;
    }

    /** Whether requests pass other servers than their target's. */
    public boolean cooperates() {
        return options.mode() != CooperationMode.NONE;
    }

    /** The node whose server a rank gives its requests for {@code targetNode} to. */
    public int firstHop(int rank, int targetNode) {
        if (!cooperates()) {
            return targetNode;
        }
        int own = topology.nodeOf(rank);
        return options.scope() == CooperationScope.NODE || groups.groupOf(own) == groups.groupOf(targetNode) ? own
            : groups.viaForRank(rank, targetNode);
    }

    /** The node to whose server the one of {@code node} passes on requests for {@code targetNode}. */
    public int nextHop(int node, int targetNode) {
        return !cooperates() || groups.groupOf(node) == groups.groupOf(targetNode) ? targetNode
            : groups.viaForNode(node, targetNode);
    }

    /** Whether the server of {@code node} may get requests for {@code targetNode} from another node. */
    public boolean mayForward(int node, int targetNode) {
        return node == targetNode || cooperates() && groups.groupOf(node) == groups.groupOf(targetNode);
    }

    /**
     * How many channels, each with a receive ring, the server of {@code node} has when every source uses those it may
     * use. A rank of the node itself that hands over in a request ring has no channel, but a receive ring as well.
     */
    public int incomingChannels(int node) {
        return cooperates() ? groups.incomingChannels(node, options.scope())
            : topology.rankCount() - topology.rankCount(node);
    }
}
