package org.tributary.benchmarks.onesided;

import java.util.ArrayList;
import java.util.List;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;

/** Turns what was asked for into cases, the same on every rank. */
final class Plan {
    private final Workload workload;
    private final Topology topology;
    private final List<Case> cases = new ArrayList<>();

    private Plan(Workload workload, Topology topology) {
        this.workload = workload;
        this.topology = topology;
    }

    /**
     * In the order of the command line, each strided operation after the contiguous one it is compared with, which is
     * added when it was not asked for.
     *
     * @throws ConfigException when a path was asked for that the job does not have
     */
    static List<Case> of(Workload workload, Topology topology) {
        Plan plan = new Plan(workload, topology);
        for (Route route : workload.routes()) {
            int target = route.target(topology).orElseThrow(() -> new ConfigException(
                "path " + route + " needs a job of two nodes or more; this one has " + topology.nodeCount()));
            for (TargetState state : workload.states()) {
                // A rank cannot compute and operate on itself at the same time.
                if (state == TargetState.BLOCKED || target != Route.ORIGIN) {
                    workload.ops().forEach(op -> plan.addAll(op, route, state, target));
                }
            }
        }
        return plan.cases;
    }

    private void addAll(Op op, Route route, TargetState state, int target) {
        switch (op.extent()) {
            case SIZES -> workload.sizes().forEach(bytes -> add(op, route, state, target, bytes));
            case ROWS -> {
                add(op.contiguous(), route, state, target, workload.rows().bytes());
                add(op, route, state, target, workload.rows().bytes());
            }
            case WORD -> add(op, route, state, target, Long.BYTES);
            case NOTHING -> add(op, route, state, target, 0);
        }
    }

    private void add(Op op, Route route, TargetState state, int target, long bytes) {
        Effort effort = op.isWindow()
            ? Effort.ofWindow(Op.WINDOW, bytes, workload.iterations())
            : Effort.ofSingle(bytes, workload.iterations());
        Case wanted = new Case(op, route, state, target, bytes, effort);
        if (!cases.contains(wanted)) {
            cases.add(wanted);
        }
    }
}
