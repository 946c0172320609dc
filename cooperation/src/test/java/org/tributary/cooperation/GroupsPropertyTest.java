package org.tributary.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.tributary.config.Topology;

class GroupsPropertyTest {
    /** In block order when no node has more ranks than are dealt at a time. */
    private static Topology dealt(List<Integer> counts, int chunk) {
        return Topology.parse("cyclic(" + chunk + "):"
            + counts.stream().map(Object::toString).collect(Collectors.joining(",")));
    }

    @Property(tries = 500)
    void shouldPartitionNodesEvenlyWhenConsecutive(@ForAll @IntRange(min = 1, max = 3000) int nodes,
        @ForAll @IntRange(min = 1, max = 100) int size) {
        Groups groups = Groups.consecutive(Topology.uniform(nodes, 2), Math.min(size, nodes));
        checkPartition(groups, nodes);
        int smallest = IntStream.range(0, groups.count()).map(groups::size).min().getAsInt();
        int largest = IntStream.range(0, groups.count()).map(groups::size).max().getAsInt();
        assertTrue(largest - smallest <= 1 && largest <= size, smallest + " to " + largest);
    }

    @Property(tries = 300)
    void shouldShareOutSourcesEvenlyWhenConsecutive(
        @ForAll @Size(min = 1, max = 60) List<@IntRange(min = 1, max = 5) Integer> counts,
        @ForAll @IntRange(min = 1, max = 12) int size, @ForAll @IntRange(min = 1, max = 5) int chunk) {
        Topology topology = dealt(counts, chunk);
        Groups groups = Groups.consecutive(topology, Math.min(size, counts.size()));
        checkBalance(groups, topology);
        checkOthers(groups, topology);
    }

    @Property(tries = 300)
    void shouldShareOutSourcesEvenlyWhenMapped(
        @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 1, max = 4) Integer> counts,
        @ForAll @Size(40) List<@IntRange(min = 0, max = 6) Integer> wish,
        @ForAll @IntRange(min = 1, max = 4) int chunk) {
        Topology topology = dealt(counts, chunk);
        String map = IntStream.range(0, 7)
            .mapToObj(group -> IntStream.range(0, counts.size()).filter(node -> wish.get(node) == group)
                .mapToObj(Integer::toString).collect(Collectors.joining(",")))
            .filter(text -> !text.isEmpty()).collect(Collectors.joining(";"));
        Groups groups = Groups.parse(topology, map);
        checkPartition(groups, counts.size());
        checkBalance(groups, topology);
        checkOthers(groups, topology);
    }

    @Property(tries = 200)
    void shouldShareOutEveryFewSourcesWellWhenTheyAreAtRegularDistances(
        @ForAll @IntRange(min = 2, max = 16) int size, @ForAll @IntRange(min = 1, max = 32) int distance) {
        int nodes = size * 256;
        Groups groups = Groups.consecutive(Topology.uniform(nodes, 1), size);
        int[] load = new int[nodes];
        int sources = 0;
        for (int source = size; source < nodes; source += distance, sources++) {
            load[groups.memberForNode(source, 0)]++;
        }
        int most = Arrays.stream(load).max().getAsInt();
        // A distance of size + 1 is the one that such rounds cannot break, as size is for plain ones.
        assertTrue(distance % (size + 1) == 0 || (size + 1) % distance == 0 || most <= 4 * (sources / size + 1),
            most + " of " + sources + " at one of " + size);
    }

    private static void checkPartition(Groups groups, int nodes) {
        int[] seen = new int[nodes];
        for (int group = 0; group < groups.count(); group++) {
            for (int i = 0; i < groups.size(group); i++) {
                int node = groups.member(group, i);
                seen[node]++;
                assertEquals(group, groups.groupOf(node));
            }
        }
        assertTrue(Arrays.stream(seen).allMatch(count -> count == 1));
    }

    private static void checkBalance(Groups groups, Topology topology) {
        for (int group = 0; group < groups.count(); group++) {
            int[] nodes = new int[topology.nodeCount()];
            int[] ranks = new int[topology.nodeCount()];
            for (int node = 0; node < topology.nodeCount(); node++) {
                boolean inside = groups.groupOf(node) == group;
                assertEquals(group, groups.groupOf(groups.memberForNode(node, group)));
                nodes[groups.memberForNode(node, group)] += inside ? 0 : 1;
                for (int i = 0; i < topology.rankCount(node); i++) {
                    int rank = topology.rankAt(node, i);
                    assertEquals(inside ? node : group,
                        inside ? groups.memberForRank(rank, group) : groups.groupOf(groups.memberForRank(rank, group)));
                    ranks[groups.memberForRank(rank, group)] += inside ? 0 : 1;
                }
            }
            assertTrue(spread(groups, group, nodes) <= 1, () -> Arrays.toString(nodes));
            assertTrue(spread(groups, group, ranks) <= 1, () -> Arrays.toString(ranks));
            assertEquals(groups.nodesOutside(group), Arrays.stream(nodes).sum());
            assertEquals(groups.ranksOutside(group), Arrays.stream(ranks).sum());
        }
    }

    private static void checkOthers(Groups groups, Topology topology) {
        for (int target = 0; target < topology.nodeCount(); target++) {
            int group = groups.groupOf(target);
            int[] nodes = new int[topology.nodeCount()];
            int[] ranks = new int[topology.nodeCount()];
            for (int node = 0; node < topology.nodeCount(); node++) {
                if (groups.groupOf(node) != group) {
                    count(groups.memberForNode(node, group), groups.viaForNode(node, target), target, nodes);
                    for (int i = 0; i < topology.rankCount(node); i++) {
                        int rank = topology.rankAt(node, i);
                        count(groups.memberForRank(rank, group), groups.viaForRank(rank, target), target, ranks);
                    }
                }
            }
            if (groups.size(group) > 1) {
                assertEquals(0, nodes[target] + ranks[target]);
                nodes[target] = nodes[groups.member(group, groups.member(group, 0) == target ? 1 : 0)];
                ranks[target] = ranks[groups.member(group, groups.member(group, 0) == target ? 1 : 0)];
                assertTrue(spread(groups, group, nodes) <= 1, () -> Arrays.toString(nodes));
                assertTrue(spread(groups, group, ranks) <= 1, () -> Arrays.toString(ranks));
            }
        }
    }

    /** Counts the sources that another member takes because their own member is the target. */
    private static void count(int member, int via, int target, int[] taken) {
        if (member != target) {
            assertEquals(member, via);
        } else {
            taken[via]++;
        }
    }

    private static int spread(Groups groups, int group, int[] load) {
        IntStream members = IntStream.range(0, groups.size(group)).map(i -> load[groups.member(group, i)]);
        int[] sorted = members.sorted().toArray();
        return sorted[sorted.length - 1] - sorted[0];
    }
}
