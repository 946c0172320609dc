package org.tributary.client.collective;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * Members of a group by nodes. Nodes are numbered by their lowest member, which is the node's leader. In
 * <em>node-major order</em> the members of node 0 come first, then those of node 1, and so on, members of a node in
 * ascending order.
 *
 * <p>Immutable; takes three words for each member.
 */
final class Hierarchy {
    private final int[] nodeOf;
    private final int[] firstOf;
    private final int[] order;
    private final int[] place;
    private final int nodes;
    private final int localRounds;
    private final boolean ordered;

    Hierarchy(int size, IntUnaryOperator nodeOfMember) {
        nodeOf = new int[size];
        order = new int[size];
        place = new int[size];
        Map<Integer, Integer> numbers = new HashMap<>();
        for (int member = 0; member < size; member++) {
            int number = numbers.size();
            Integer known = numbers.putIfAbsent(nodeOfMember.applyAsInt(member), number);
            nodeOf[member] = known == null ? number : known;
        }
        nodes = numbers.size();
        firstOf = new int[nodes + 1];
        for (int member = 0; member < size; member++) {
            firstOf[nodeOf[member] + 1]++;
        }
        int largest = 0;
        for (int node = 0; node < nodes; node++) {
            largest = Math.max(largest, firstOf[node + 1]);
            firstOf[node + 1] += firstOf[node];
        }
        localRounds = log2(largest);
        boolean inOrder = true;
        int[] next = firstOf.clone();
        for (int member = 0; member < size; member++) {
            place[member] = next[nodeOf[member]]++;
            order[place[member]] = member;
            inOrder &= place[member] == member;
        }
        ordered = inOrder;
    }

    /** Every member a node of its own. */
    static Hierarchy flat(int size) {
        return new Hierarchy(size, IntUnaryOperator.identity());
    }

    /** The least r with {@code 2^r >= n}. */
    static int log2(int n) {
        return n <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(n - 1);
    }

    int size() {
        return place.length;
    }

    int nodes() {
        return nodes;
    }

    int nodeOf(int member) {
        return nodeOf[member];
    }

    /** Place of a node's leader in node-major order; for {@code node == nodes()} the size of the group. */
    int firstOf(int node) {
        return firstOf[node];
    }

    int sizeOf(int node) {
        return firstOf[node + 1] - firstOf[node];
    }

    /** Lowest member of a node. */
    int leaderOf(int node) {
        return order[firstOf[node]];
    }

    /** Place of a member in node-major order. */
    int placeOf(int member) {
        return place[member];
    }

    /** The member at a place in node-major order. */
    int memberAt(int position) {
        return order[position];
    }

    /** Whether node-major order is the order of the members. */
    boolean ordered() {
        return ordered;
    }

    /** Rounds of a binomial tree within any of the nodes; they come first, those between leaders after them. */
    int localRounds() {
        return localRounds;
    }

    /** Rounds of a binomial tree or a dissemination between leaders. */
    int leaderRounds() {
        return log2(nodes);
    }
}
