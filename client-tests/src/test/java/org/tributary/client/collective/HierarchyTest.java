package org.tributary.client.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tributary.wire.shm.CollectiveLayout;

final class HierarchyTest {
    @Test
    void shouldNumberNodesByTheirLowestMemberWhenMembersAreMixed() {
        int[] nodeOf = {9, 4, 9, -1, 4, 9};
        Hierarchy hierarchy = new Hierarchy(6, i -> nodeOf[i]);
        assertEquals(3, hierarchy.nodes());
        assertArrayEquals(new int[] {0, 2, 5, 1, 4, 3}, IntStream.range(0, 6).map(hierarchy::memberAt).toArray());
        assertArrayEquals(new int[] {0, 1, 3}, IntStream.range(0, 3).map(hierarchy::leaderOf).toArray());
        assertArrayEquals(new int[] {0, 3, 5, 6}, IntStream.rangeClosed(0, 3).map(hierarchy::firstOf).toArray());
        assertEquals(2, hierarchy.localRounds());
        assertEquals(2, hierarchy.leaderRounds());
        assertFalse(hierarchy.ordered());
        assertTrue(Hierarchy.flat(6).ordered());
    }

    @Test
    void shouldFitTheInboxWhateverTheNodes() {
        for (int size = 1; size <= 600; size++) {
            int most = 1;
            for (int nodes = 1; nodes <= size; nodes++) { // one node as large as can be, all others of one member
                int local = Hierarchy.log2(size - nodes + 1);
                int leaders = Hierarchy.log2(nodes);
                most = Math.max(most, local + 2 * leaders);
                most = Math.max(most, nodes == 1 ? local : local + 1 + leaders);
                assertTrue(size == 1 || local + leaders < CollectiveLayout.rounds(size)); // leaves some to all-to-all
            }
            assertTrue(most <= CollectiveLayout.rounds(size), size + " members need " + most + " rounds");
        }
    }
}
