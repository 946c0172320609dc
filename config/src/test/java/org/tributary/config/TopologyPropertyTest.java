package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class TopologyPropertyTest {
    private static int[] counts(List<Integer> layout) {
        return layout.stream().mapToInt(Integer::intValue).toArray();
    }

    @Property(tries = 300)
    void shouldAgreeWithCountingWhenAnyLayout(
        @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 5) Integer> layout) {
        int[] counts = counts(layout);
        Topology topology = Topology.of(counts);
        int rank = 0;
        for (int node = 0; node < counts.length; node++) {
            assertEquals(counts[node], topology.rankCount(node));
            assertEquals(rank, topology.firstRank(node));
            for (int local = 0; local < counts[node]; local++, rank++) {
                assertEquals(node, topology.nodeOf(rank));
            }
        }
        assertEquals(rank, topology.rankCount());
    }

    @Property(tries = 300)
    void shouldReadBackWhenWritten(@ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 3) Integer> layout) {
        Topology topology = Topology.of(counts(layout));
        Topology read = Topology.parse(topology.toString());
        assertEquals(topology, read);
        assertEquals(topology.hashCode(), read.hashCode());
        assertEquals(topology.toString(), read.toString());
    }
}
