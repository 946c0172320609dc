package org.tributary.launcher.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.ProcessState;

/** Rates of two nodes, whose ranks ask three peers each, ten times a second. */
class NodeStepsTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final double EACH = 2 * 3 * StubNodes.ASKED_EACH;

    private final StubNodes nodes = new StubNodes(2, 2, 3);
    private long nowNs;
    private final NodeSteps steps = new NodeSteps(() -> nowNs);

    private Digest at(long second, NodeSnapshot... told) {
        nowNs = second * SECOND_NS;
        return steps.next("stub", List.of(told));
    }

    private double rate(long second, NodeSnapshot... told) {
        return at(second, told).sums().total().requests();
    }

    @Test
    void shouldShowNoRateWhenAServerHasToldNothingForLong() {
        rate(0, nodes.node(0, 0), nodes.node(1, 0));
        assertEquals(2 * EACH, rate(1, nodes.node(0, 1), nodes.node(1, 1)));
        assertEquals(2 * EACH, rate(2, nodes.node(0, 2), nodes.node(1, 1)), "it may be late");
        assertEquals(2 * EACH, rate(3, nodes.node(0, 3), nodes.node(1, 1)));
        assertEquals(List.of(), steps.silent());
        assertEquals(EACH, rate(4, nodes.node(0, 4), nodes.node(1, 1)));
        assertEquals(List.of("the server of node 1 has told no counts for 3.0 s"), steps.silent());
        assertEquals(EACH, rate(9, nodes.node(0, 9), nodes.node(1, 1)));
        assertTrue(rate(10, nodes.node(0, 10), nodes.node(1, 10)) > EACH, "it goes on");
    }

    /** What a page has zoomed to stays where it is. */
    @Test
    void shouldKeepThePlacesOfNodesWhenOneIsMissing() {
        RankOrder order = at(0, nodes.node(1, 0)).order();
        assertEquals(2, order.nodeCount());
        assertEquals(1, order.node(1));
    }

    @Test
    void shouldShowNoRateWhenAServerIsStopped() {
        rate(0, nodes.node(0, 0), nodes.node(1, 0));
        rate(1, nodes.node(0, 1), nodes.node(1, 1));
        NodeSnapshot stopped = nodes.node(1, 1);
        NodeStatus of = stopped.status();
        assertEquals(EACH, rate(2, nodes.node(0, 2), new NodeSnapshot(new NodeStatus(of.job(), of.node(), of.layout(),
            of.jobRanks(), of.jobNodes(), of.ageNs(), of.serverPid(), ProcessState.STOPPED, of.ranks()),
            stopped.details(), stopped.counts(), stopped.latencies())));
    }

    @Test
    void shouldShowRatesAndCallsWhenANodeAnswersOnlyEverySecondStep() {
        rate(0, nodes.node(0, 0), nodes.node(1, 0));
        assertEquals(EACH, rate(1, nodes.node(0, 1)));
        Digest second = at(2, nodes.node(0, 2), nodes.node(1, 2));
        assertEquals(2 * EACH, second.sums().total().requests());
        assertEquals(100 + 200, Arrays.stream(second.sums().latencies()).sum(), "of one second, and of two");
        rate(3, nodes.node(0, 3));
        assertEquals(2 * EACH, rate(4, nodes.node(0, 4), nodes.node(1, 4)));
    }
}
