package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Against a model that holds the node of each rank. */
class TopologyPropertyTest {
    private static String list(List<Integer> numbers) {
        return numbers.stream().map(Object::toString).collect(Collectors.joining(","));
    }

    /** Deals out as many ranks at a time as a node takes in a row. */
    private static int[] dealt(List<Integer> counts, int chunk) {
        int[] left = counts.stream().mapToInt(Integer::intValue).toArray();
        IntStream.Builder nodes = IntStream.builder();
        while (Arrays.stream(left).sum() > 0) {
            for (int node = 0; node < left.length; node++) {
                for (int i = 0; i < chunk && left[node] > 0; i++, left[node]--) {
                    nodes.add(node);
                }
            }
        }
        return nodes.build().toArray();
    }

    private static void check(int[] nodeOfRank, Topology topology) {
        int nodes = Arrays.stream(nodeOfRank).max().orElseThrow() + 1;
        assertEquals(nodeOfRank.length, topology.rankCount());
        assertEquals(nodes, topology.nodeCount());
        int below = 0;
        for (int node = 0; node < nodes; node++) {
            int on = node;
            int[] ranks = IntStream.range(0, nodeOfRank.length).filter(rank -> nodeOfRank[rank] == on).toArray();
            assertEquals(ranks.length, topology.rankCount(node));
            assertEquals(ranks[0], topology.firstRank(node));
            assertEquals(below, topology.ranksBelow(node));
            NodeRanks ofNode = topology.ranksOf(node);
            assertEquals(ranks.length, ofNode.count());
            assertArrayEquals(ranks, ofNode.toArray());
            for (int index = 0; index < ranks.length; index++, below++) {
                assertEquals(ranks[index], topology.rankAt(node, index));
                assertEquals(ranks[index], ofNode.rank(index));
                assertEquals(node, topology.nodeOf(ranks[index]));
                assertEquals(index, topology.indexOf(ranks[index]));
                assertEquals(below, topology.placeByNode(ranks[index]));
            }
            for (int rank = -2; rank < nodeOfRank.length + 2; rank++) {
                boolean isHere = rank >= 0 && rank < nodeOfRank.length && nodeOfRank[rank] == node;
                assertEquals(isHere ? topology.indexOf(rank) : -1, ofNode.indexOf(rank));
                assertEquals(isHere, ofNode.contains(rank));
            }
        }
        checkText(nodeOfRank, topology);
    }

    private static void checkText(int[] nodeOfRank, Topology topology) {
        Topology listed = Topology.ofRanks(nodeOfRank);
        Topology mapped = Topology.parse("map:" + list(Arrays.stream(nodeOfRank).boxed().toList()));
        Topology read = Topology.parse(topology.toString());
        for (Topology same : List.of(listed, mapped, read)) {
            assertEquals(topology, same);
            assertEquals(topology.hashCode(), same.hashCode());
            assertEquals(topology.toString(), same.toString());
        }
        String longest = "map:" + list(Arrays.stream(nodeOfRank).boxed().toList());
        assertTrue(topology.toString().startsWith("cyclic") || topology.toString().length() <= longest.length());
    }

    @Provide
    Arbitrary<int[]> placements() {
        return Arbitraries.integers().between(1, 5).flatMap(nodes -> Arbitraries.integers().between(0, nodes - 1)
            .array(int[].class).ofMinSize(0).ofMaxSize(12).map(some -> {
                // Each node has a rank somewhere among the others.
                List<Integer> all = IntStream.concat(Arrays.stream(some), IntStream.range(0, nodes)).boxed()
                    .collect(Collectors.toList());
                Collections.shuffle(all, new Random(Arrays.hashCode(some)));
                return all.stream().mapToInt(Integer::intValue).toArray();
            }));
    }

    @Property(tries = 300)
    void shouldAgreeWithCountingWhenInBlockOrder(
        @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 5) Integer> counts) {
        Topology topology = Topology.of(counts.stream().mapToInt(Integer::intValue).toArray());
        check(dealt(counts, Integer.MAX_VALUE), topology);
        assertEquals(topology, Topology.parse(list(counts)));
        assertTrue(topology.toString().length() <= list(counts).length());
    }

    @Property(tries = 1000)
    void shouldAgreeWithDealingWhenInCyclicOrder(
        @ForAll @Size(min = 1, max = 12) List<@IntRange(min = 1, max = 7) Integer> counts,
        @ForAll @IntRange(min = 1, max = 5) int chunk) {
        Topology topology = Topology.parse("cyclic(" + chunk + "):" + list(counts));
        check(dealt(counts, chunk), topology);
        if (chunk == 1) {
            assertEquals(topology, Topology.parse("cyclic:" + list(counts)));
        }
    }

    @Property(tries = 1000)
    void shouldAgreeWithTheListWhenInAnyOrder(@ForAll("placements") int[] nodeOfRank) {
        check(nodeOfRank, Topology.ofRanks(nodeOfRank));
    }

    @Property(tries = 1000)
    void shouldDifferWhenARankIsElsewhere(@ForAll("placements") int[] one, @ForAll("placements") int[] other) {
        boolean same = Arrays.equals(one, other);
        assertEquals(same, Topology.ofRanks(one).equals(Topology.ofRanks(other)));
        assertEquals(same, Topology.ofRanks(one).toString().equals(Topology.ofRanks(other).toString()));
    }

    @Property(tries = 300)
    void shouldDifferWhenDealtOtherwise(
        @ForAll @Size(min = 1, max = 6) List<@IntRange(min = 1, max = 5) Integer> counts,
        @ForAll @IntRange(min = 1, max = 5) int one, @ForAll @IntRange(min = 1, max = 5) int other) {
        Topology first = Topology.parse("cyclic(" + one + "):" + list(counts));
        Topology second = Topology.parse("cyclic(" + other + "):" + list(counts));
        if (Arrays.equals(dealt(counts, one), dealt(counts, other))) {
            assertEquals(first, second);
        } else {
            assertNotEquals(first, second);
        }
    }
}
