package org.tributary.benchmarks.onesided;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;

class PlanTest {
    private static final Topology TWO_BY_TWO = Topology.uniform(2, 2);
    private static final Topology TWO_BY_ONE = Topology.uniform(2, 1);

    @Test
    void shouldTargetSecondRankOrNextNodeWhenJobHasThem() {
        List<Case> cases = Plan.of(workload(List.of(Op.GET), Route.values()), TWO_BY_TWO);

        assertEquals(List.of("node blocked 1", "node computing 1", "remote blocked 2", "remote computing 2"),
            cases.stream().map(one -> one.route() + " " + one.state() + " " + one.target()).toList());
    }

    @Test
    void shouldLeaveOutComputingWhenRankZeroIsItsOwnTarget() {
        List<Case> cases = Plan.of(workload(List.of(Op.GET), Route.NODE), TWO_BY_ONE);

        assertEquals(List.of(TargetState.BLOCKED), cases.stream().map(Case::state).toList());
        assertEquals(0, cases.getFirst().target());
    }

    @Test
    void shouldMeasureContiguousFormFirstWhenOpIsStrided() {
        List<Case> cases = Plan.of(workload(List.of(Op.STRIDED_PUT_FENCE, Op.STRIDED_GET), Route.NODE), TWO_BY_ONE);

        assertEquals(List.of(Op.PUT_FENCE, Op.STRIDED_PUT_FENCE, Op.GET, Op.STRIDED_GET),
            cases.stream().map(Case::op).toList());
        assertTrue(cases.get(0).isContiguousFormOf(cases.get(1)));
        assertTrue(cases.get(2).isContiguousFormOf(cases.get(3)));
    }

    @Test
    void shouldMeasureContiguousFormOnceWhenItWasAskedForToo() {
        List<Case> cases = Plan.of(workload(List.of(Op.GET, Op.STRIDED_GET), Route.NODE), TWO_BY_ONE);

        assertEquals(List.of(Op.GET, Op.STRIDED_GET), cases.stream().map(Case::op).toList());
    }

    @Test
    void shouldRefuseWhenThereIsNoOtherNode() {
        ConfigException refused = assertThrows(ConfigException.class,
            () -> Plan.of(workload(List.of(Op.GET), Route.REMOTE), Topology.uniform(1, 2)));

        assertTrue(refused.getMessage().contains("two nodes"), refused.getMessage());
    }

    @Test
    void shouldRefuseRowsWhenTheyOverlapOrAreTooMany() {
        assertThrows(ConfigException.class, () -> new Rows(2, 1024, 512));
        assertThrows(ConfigException.class, () -> new Rows(0, 512, 1024));
        assertThrows(ConfigException.class, () -> new Rows(Integer.MAX_VALUE, 512, 1024));
    }

    private static Workload workload(List<Op> ops, Route... routes) {
        return new Workload(ops, List.of(32L << 10), List.of(routes), List.of(TargetState.values()), 100,
            new Rows(64, 512, 1024));
    }
}
