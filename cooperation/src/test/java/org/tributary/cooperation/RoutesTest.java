package org.tributary.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;

class RoutesTest {
    private static final Topology TOPOLOGY = Topology.of(3, 1, 2, 2, 1, 4, 1, 2, 2, 3);

    @Test
    void shouldReachEveryTargetThroughMemberWhenScopeIsProcess() {
        Routes routes = routes("cooperation.scope=process");
        for (int rank = 0; rank < TOPOLOGY.rankCount(); rank++) {
            for (int target = 0; target < TOPOLOGY.nodeCount(); target++) {
                int first = routes.firstHop(rank, target);
                assertTrue(first != target || TOPOLOGY.nodeOf(rank) == target, "the target relieves nobody");
                assertTrue(routes.mayForward(first, target));
                assertEquals(target, routes.nextHop(first, target));
            }
        }
    }

    @Test
    void shouldReachEveryTargetInTwoHopsWhenScopeIsNode() {
        Routes routes = routes("cooperation.scope=node");
        for (int rank = 0; rank < TOPOLOGY.rankCount(); rank++) {
            for (int target = 0; target < TOPOLOGY.nodeCount(); target++) {
                int own = routes.firstHop(rank, target);
                assertEquals(TOPOLOGY.nodeOf(rank), own);
                int member = routes.nextHop(own, target);
                assertTrue(routes.mayForward(member, target));
                assertEquals(target, routes.nextHop(member, target));
            }
        }
    }

    @Test
    void shouldAskTheTargetsServerWhenNodesDoNotCooperate() {
        Routes routes = new Routes(CooperationOptionsTest.options(TOPOLOGY), TOPOLOGY);
        assertFalse(routes.cooperates());
        assertEquals(7, routes.firstHop(0, 7));
        assertEquals(18, routes.incomingChannels(0));
    }

    @Test
    void shouldCountChannelsOfPaperWhenTwelveThousandProcesses() {
        Topology topology = Topology.uniform(1024, 12);
        assertEquals(12_276, count(topology, "cooperation.mode=none"));
        assertEquals(1_524 + 7 * 218 + 7 + 12, count(topology, "cooperation.mode=forward", "cooperation.group-size=8"));
        assertEquals(127 + 7 * 19 + 7,
            count(topology, "cooperation.mode=forward", "cooperation.group-size=8", "cooperation.scope=node"));
    }

    private static int count(Topology topology, String... assignments) {
        return new Routes(CooperationOptionsTest.options(topology, assignments), topology).incomingChannels(5);
    }

    private static Routes routes(String scope) {
        return new Routes(CooperationOptionsTest.options(TOPOLOGY, "cooperation.mode=forward",
            "cooperation.group-size=3", scope), TOPOLOGY);
    }
}
