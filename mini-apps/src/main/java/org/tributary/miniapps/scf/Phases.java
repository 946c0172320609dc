package org.tributary.miniapps.scf;

import java.util.Map;
import java.util.TreeMap;
import org.tributary.client.Group;
import org.tributary.wire.shape.ReduceOp;

/** Where the time of a rank goes. One thread. */
final class Phases {
    private static final double SECOND_NS = 1e9;

    /** Kinds of work by which a rank's time is counted. */
    enum Phase {
        /** Pairs of shells and the density at the beginning. */
        SETUP("secondsOfSetup"),
        /** Integrals, and their products with the density. */
        INTEGRALS("secondsOfIntegrals"),
        /** Numbers from the counter, blocks of the density, and accumulates. */
        COMMUNICATION("secondsOfCommunication"),
        /** Until other ranks have done their last tasks. */
        WAITING("secondsOfWaiting"),
        /** Energy, extrapolation, diagonalization: on rank 0. */
        DIAGONALIZATION("secondsOfDiagonalization"),
        /** Reading and writing of checkpoints. */
        CHECKPOINT("secondsOfCheckpoints");

        private final String figure;

        Phase(String figure) {
            this.figure = figure;
        }

        /** Its name among the figures of a run. */
        String figure() {
            return figure;
        }
    }

    private final long[] ns = new long[Phase.values().length];
    private long lastNs = System.nanoTime();

    /** A phase ends and the next one begins; the first one has begun with this object. */
    void end(Phase phase) {
        long nowNs = System.nanoTime();
        ns[phase.ordinal()] += nowNs - lastNs;
        lastNs = nowNs;
    }

    /** Seconds of each phase: the mean of all ranks, of what rank 0 alone does its own. Collective. */
    Map<Phase, Double> means(Group group) {
        return reduced(group, ReduceOp.SUM);
    }

    /** Seconds of each phase on the rank that takes longest. Collective. */
    Map<Phase, Double> longest(Group group) {
        return reduced(group, ReduceOp.MAX);
    }

    private Map<Phase, Double> reduced(Group group, ReduceOp op) {
        double[] seconds = new double[ns.length];
        for (Phase phase : Phase.values()) {
            seconds[phase.ordinal()] = ns[phase.ordinal()] / SECOND_NS;
        }
        group.allreduce(op, seconds);
        Map<Phase, Double> all = new TreeMap<>();
        for (Phase phase : Phase.values()) {
            boolean isMean = op == ReduceOp.SUM && phase != Phase.DIAGONALIZATION;
            all.put(phase, seconds[phase.ordinal()] / (isMean ? group.size() : 1));
        }
        return all;
    }
}
