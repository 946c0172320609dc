package org.tributary.launcher.job;

import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Which servers of a job listen, and where. */
final class ReadyServers {
    private static final int NAMED = 8;

    private final String[] addresses;
    private final BitSet answered = new BitSet();

    ReadyServers(int nodes) {
        addresses = new String[nodes];
    }

    void ready(int node, String address) {
        addresses[node] = address;
        answered.set(node);
    }

    void failed(int node) {
        answered.set(node);
    }

    boolean hasAnswered(int node) {
        return answered.get(node);
    }

    int count() {
        return addresses.length;
    }

    /** How many listen or have failed. */
    int answered() {
        return answered.cardinality();
    }

    boolean allAnswered() {
        return answered() == count();
    }

    /** By node. */
    List<String> addresses() {
        return List.of(addresses);
    }

    /** Servers that have not answered: {@code servers of nodes 1, 3 and 7 more}. */
    String awaited() {
        int[] nodes = IntStream.range(0, addresses.length).filter(node -> !answered.get(node)).toArray();
        String named = IntStream.of(nodes).limit(NAMED).mapToObj(Integer::toString).collect(Collectors.joining(", "));
        return (nodes.length == 1 ? "server of node " : "servers of nodes ") + named
            + (nodes.length > NAMED ? " and " + (nodes.length - NAMED) + " more" : "");
    }
}
