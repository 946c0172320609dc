package org.tributary.cooperation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.tributary.config.ConfigException;
import org.tributary.config.CooperationScope;
import org.tributary.config.Topology;

/**
 * The groups that nodes form, and which member of a group a source outside it talks to.
 * <p>
 * Sources are dealt to the members of a group in rounds, so that members have as many each, up to one. Each round
 * begins one member further than the one before, and after as many rounds as there are members, two more: sources at a
 * regular distance, say the first of each node, do not meet at one member then. Ranks are dealt node by node, in
 * whatever order they are numbered. A source within the group has the
 * server of its own node as its member. Where the member is the target itself, another one takes what is for the
 * target. Immutable; groups of consecutive nodes take no memory.
 */
public final class Groups {
    private final Topology topology;
    private final int groupCount;
    /** Members of each group in ascending order; null for consecutive nodes. */
    private final int[][] members;
    private final int[] groupOf;
    private final int[] ranksOf;

    private Groups(Topology topology, int groupCount, int[][] members) {
        this.topology = topology;
        this.groupCount = groupCount;
        this.members = members;
        this.groupOf = members == null ? null : new int[topology.nodeCount()];
        this.ranksOf = members == null ? null : new int[groupCount];
        if (members != null) {
            for (int group = 0; group < groupCount; group++) {
                for (int node : members[group]) {
                    groupOf[node] = group;
                    ranksOf[group] += topology.rankCount(node);
                }
            }
        }
    }

    /**
     * Groups of consecutive nodes, as few as have at most {@code size} nodes each, and as equal as possible.
     *
     * @throws ConfigException when there are fewer nodes than that
     */
    public static Groups consecutive(Topology topology, int size) {
        int nodes = topology.nodeCount();
        if (size < 1 || size > nodes) {
            throw new ConfigException("cooperation.group-size = " + size + " is outside 1 to " + nodes
                + ", the number of nodes");
        }
        return new Groups(topology, (nodes + size - 1) / size, null);
    }

    /**
     * Groups by a map: groups are separated by semicolons, their nodes, or ranges of nodes, by commas, as in
     * {@code 0-3;4-7;8,10;9}.
     *
     * @throws ConfigException with every node that is unknown, missing or named twice, and everything that is no node
     */
    public static Groups parse(Topology topology, String map) {
        List<String> problems = new ArrayList<>();
        int nodes = topology.nodeCount();
        int[] count = new int[nodes];
        List<int[]> groups = new ArrayList<>();
        for (String text : map.split(";", -1)) {
            List<Integer> group = new ArrayList<>();
            for (String item : text.split(",", -1)) {
                addNodes(item.strip(), nodes, group, problems);
            }
            group.forEach(node -> count[node]++);
            groups.add(group.stream().mapToInt(Integer::intValue).sorted().toArray());
        }
        for (int node = 0; node < nodes; node++) {
            if (count[node] != 1) {
                problems.add(count[node] == 0 ? "node " + node + " is in no group"
                    : "node " + node + " is named " + count[node] + " times");
            }
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems.stream()
                .map(problem -> "cooperation.groups = " + map + ": " + problem).toList());
        }
        return new Groups(topology, groups.size(), groups.toArray(int[][]::new));
    }

    private static void addNodes(String item, int nodes, List<Integer> group, List<String> problems) {
        int dash = item.indexOf('-');
        try {
            int first = Integer.parseInt(dash < 0 ? item : item.substring(0, dash).strip());
            int last = dash < 0 ? first : Integer.parseInt(item.substring(dash + 1).strip());
            if (first > last) {
                problems.add("'" + item + "' ends before it begins");
            } else if (first < 0 || last >= nodes) {
                problems.add("'" + item + "' names an unknown node; nodes are 0 to " + (nodes - 1));
            } else {
                for (int node = first; node <= last; node++) {
                    group.add(node);
                }
            }
        } catch (NumberFormatException e) {
            problems.add("'" + item + "' is neither a node nor a range of nodes");
        }
    }

    /** How many groups there are; they are numbered from 0. */
    public int count() {
        return groupCount;
    }

    /** The number of a node's group, from 0. */
    public int groupOf(int node) {
        Objects.checkIndex(node, topology.nodeCount());
        return groupOf != null ? groupOf[node]
            : (int) (((long) node * groupCount + groupCount - 1) / topology.nodeCount());
    }

    /** How many nodes a group has. */
    public int size(int group) {
        return members != null ? members[group].length : first(group + 1) - first(group);
    }

    /** A member of a group, in ascending order of nodes. */
    public int member(int group, int index) {
        Objects.checkIndex(index, size(group));
        return members != null ? members[group][index] : first(group) + index;
    }

    private int first(int group) {
        return (int) ((long) group * topology.nodeCount() / groupCount);
    }

    /** The member of {@code group} that takes the requests of node {@code source}; the node itself in its own group. */
    public int memberForNode(int source, int group) {
        return groupOf(source) == group ? source : deal(source - membersBelow(group, source), group);
    }

    /** The member of {@code group} that takes the requests of {@code rank}; its own node in its own group. */
    public int memberForRank(int rank, int group) {
        int node = topology.nodeOf(rank);
        return groupOf(node) == group ? node : deal(topology.placeByNode(rank) - ranksBelow(group, node), group);
    }

    private int deal(int outsider, int group) {
        int size = size(group);
        long round = outsider / size;
        return member(group, (int) ((outsider + round + 2 * (round / size) + group) % size));
    }

    /**
     * The member that takes the requests of node {@code source} for {@code target}, a node of another group. It is
     * {@link #memberForNode} unless that is the target. Otherwise, when all ranks want one server, the sources dealt to
     * it would still reach it one by one. So these sources are dealt to the other members evenly.
     */
    public int viaForNode(int source, int target) {
        int group = groupOf(target);
        return via(source - membersBelow(group, source), target);
    }

    /** The same for the requests of a rank of another group. */
    public int viaForRank(int rank, int target) {
        int group = groupOf(target);
        return via(topology.placeByNode(rank) - ranksBelow(group, topology.nodeOf(rank)), target);
    }

    private int via(int outsider, int target) {
        int group = groupOf(target);
        int member = deal(outsider, group);
        int size = size(group);
        if (member != target || size == 1) {
            return member;
        }
        // Each round of dealing has one outsider for the target.
        int index = indexOf(target, group);
        int other = (int) ((outsider / size + (long) index) % (size - 1));
        return member(group, other < index ? other : other + 1);
    }

    private int indexOf(int node, int group) {
        return members != null ? Arrays.binarySearch(members[group], node) : node - first(group);
    }

    private int membersBelow(int group, int node) {
        if (members != null) {
            int found = Arrays.binarySearch(members[group], node);
            return found >= 0 ? found : -found - 1;
        }
        return Math.clamp(node - first(group), 0, size(group));
    }

    private int ranksBelow(int group, int node) {
        int below = membersBelow(group, node);
        if (members == null) {
            return ranks(first(group), below);
        }
        int ranks = 0;
        for (int i = 0; i < below; i++) {
            ranks += topology.rankCount(members[group][i]);
        }
        return ranks;
    }

    /** How many nodes are in other groups: sources with {@code cooperation.scope = node}. */
    public int nodesOutside(int group) {
        return topology.nodeCount() - size(group);
    }

    /** How many ranks are on those nodes: sources with {@code cooperation.scope = process}. */
    public int ranksOutside(int group) {
        return topology.rankCount() - (members != null ? ranksOf[group] : ranks(first(group), size(group)));
    }

    /** {@link Routes#incomingChannels} of a node in a job whose nodes cooperate. */
    int incomingChannels(int node, CooperationScope scope) {
        int group = groupOf(node);
        int others = size(group) - 1;
        boolean isNode = scope == CooperationScope.NODE;
        int dealt = divideUp(isNode ? nodesOutside(group) : ranksOutside(group), others + 1);
        // Sources that are dealt to another member, and come here with requests for that member.
        int fromOthers = others == 0 ? 0 : others * divideUp(dealt, others);
        return dealt + fromOthers + others + (isNode ? 0 : topology.rankCount(node));
    }

    private static int divideUp(int sources, int members) {
        return (sources + members - 1) / members;
    }

    /** Ranks of {@code count} consecutive nodes. */
    private int ranks(int from, int count) {
        return topology.ranksBelow(from + count) - topology.ranksBelow(from);
    }
}
