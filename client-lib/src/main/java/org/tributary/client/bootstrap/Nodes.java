package org.tributary.client.bootstrap;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.tributary.config.Topology;

/**
 * Which ranks form a node: those with the same TRIBUTARY_NODE; else, with TRIBUTARY_NODES=n, n runs of ranks that are
 * as equal as can be; else those of one machine. Nodes are numbered by their lowest ranks.
 */
final class Nodes {
    private final int[] nodeOf;
    private final int count;
    private final boolean oneMachine;

    private Nodes(int[] nodeOf, int count, boolean oneMachine) {
        this.nodeOf = nodeOf;
        this.count = count;
        this.oneMachine = oneMachine;
    }

    /** By rank; throws with a message for all ranks when what they say does not fit together. */
    static Nodes of(List<Self> all) {
        Self first = all.getFirst();
        for (int rank = 0; rank < all.size(); rank++) {
            Self self = all.get(rank);
            require(self.release().equals(first.release()), "rank " + rank + " on " + self.host() + " has another"
                + " release of Tributary (" + self.release() + ") than rank 0 on " + first.host() + " ("
                + first.release() + "): install one on all hosts");
            require(self.problem().isEmpty(), "rank " + rank + " on " + self.host() + ": " + self.problem());
            require(self.node() < 0 == first.node() < 0 && self.nodes() == first.nodes(), "TRIBUTARY_NODES or"
                + " TRIBUTARY_NODE is set for rank " + rank + " otherwise than for rank 0");
        }
        require(first.node() >= 0 || first.nodes() <= all.size(), "TRIBUTARY_NODES=" + first.nodes()
            + ", but there are " + all.size() + " ranks");
        Map<String, Integer> machines = new LinkedHashMap<>();
        all.forEach(self -> machines.putIfAbsent(self.machine(), machines.size()));
        Nodes nodes = numbered(all.size(), first.node() >= 0 ? rank -> all.get(rank).node()
            : first.nodes() > 0 ? rank -> run(rank, all.size(), first.nodes())
            : rank -> machines.get(all.get(rank).machine()), machines.size() == 1);
        nodes.checkMachines(all);
        checkSecret(all, nodes.oneMachine);
        return nodes;
    }

    private static int run(int rank, int size, int nodes) {
        int inLarger = size % nodes * (size / nodes + 1); // ranks of nodes that have one more than others
        return rank < inLarger ? rank / (size / nodes + 1) : size % nodes + (rank - inLarger) / (size / nodes);
    }

    private static Nodes numbered(int size, IntUnaryOperator key, boolean oneMachine) {
        Map<Integer, Integer> numbers = new LinkedHashMap<>();
        int[] nodeOf = new int[size];
        for (int rank = 0; rank < size; rank++) {
            numbers.putIfAbsent(key.applyAsInt(rank), numbers.size());
            nodeOf[rank] = numbers.get(key.applyAsInt(rank));
        }
        return new Nodes(nodeOf, numbers.size(), oneMachine);
    }

    private void checkMachines(List<Self> all) {
        int[] lowest = new int[count];
        Arrays.fill(lowest, -1);
        for (int rank = 0; rank < nodeOf.length; rank++) {
            int node = nodeOf[rank];
            lowest[node] = lowest[node] < 0 ? rank : lowest[node];
            require(all.get(rank).machine().equals(all.get(lowest[node]).machine()), "ranks " + lowest[node] + " and "
                + rank + " would be on one node, but run on " + all.get(lowest[node]).machine() + " and "
                + all.get(rank).machine() + "; see TRIBUTARY_NODES and TRIBUTARY_NODE");
        }
    }

    /**
     * The launcher carries in the clear what ranks tell each other through it. From one machine to another that must
     * not be the secret that the keys of encryption come from: then each rank has to find it in a file.
     */
    private static void checkSecret(List<Self> all, boolean oneMachine) {
        boolean hasSecret = all.getFirst().hasSecret();
        for (int rank = 0; rank < all.size(); rank++) {
            require(all.get(rank).hasSecret() == hasSecret, "TRIBUTARY_SECRET_FILE is set for rank " + rank
                + " otherwise than for rank 0: the launcher has to pass it to all ranks");
            require(!all.get(rank).encrypted() || hasSecret || oneMachine, "network.encryption is set for rank " + rank
                + ", the ranks are on several machines, and the launcher would carry the job's secret from one to the"
                + " other in the clear. Make a file with a secret, (umask 077; openssl rand -hex 32 > FILE), copy it"
                + " to each machine in a safe way, pass TRIBUTARY_SECRET_FILE=FILE to all ranks");
        }
    }

    private static void require(boolean condition, String problem) {
        if (!condition) {
            throw new IllegalArgumentException(problem);
        }
    }

    boolean areOfOneMachine() {
        return oneMachine;
    }

    /** As in TRIBUTARY_LAYOUT. */
    String layout() {
        return Topology.ofRanks(nodeOf).toString();
    }
}
