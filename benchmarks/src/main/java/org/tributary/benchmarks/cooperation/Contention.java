package org.tributary.benchmarks.cooperation;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.config.Topology;
import org.tributary.simulator.Costs;
import org.tributary.simulator.Faults;
import org.tributary.simulator.Op;
import org.tributary.simulator.Program;
import org.tributary.simulator.RankSteps;
import org.tributary.simulator.Simulation;

/**
 * Figures 7 and 8 of the paper: ranks of other nodes do one operation on rank 0 again and again, each waiting for it to
 * be complete at the target, after some that warm up. With no contention they do so one after the other, and each
 * seventh rank stands for all.
 */
final class Contention {
    /** As often as it takes to know more. */
    static final int WARM_UP = 40;
    static final int TIMES = 100;
    private static final int EACH = 7;

    private final Topology topology;
    private final Costs costs;
    private final Op.Kind kind;
    private final int payloadBytes;
    private final int warmUp;
    private final int times;

    Contention(Topology topology, Costs costs, Op.Kind kind, int payloadBytes, int warmUp, int times) {
        this.topology = topology;
        this.costs = costs;
        this.kind = kind;
        this.payloadBytes = payloadBytes;
        this.warmUp = warmUp;
        this.times = times;
    }

    /**
     * Time and rate of the operation in one simulation.
     *
     * @param medianNs of the ranks' mean times of an operation
     * @param spread the longest of these means to their median
     * @param perSecond operations of all ranks that contend: each begins the next when the one before is complete
     */
    record Outcome(double medianNs, double spread, double perSecond) {
    }

    Outcome run(Variant variant, int percent) {
        int first = topology.rankCount(0);
        if (percent > 0) {
            int step = 100 / percent;
            return measure(variant, rank -> rank >= first && rank % step == 0);
        }
        double[] means = new double[(topology.rankCount() - first + EACH - 1) / EACH];
        for (int i = 0; i < means.length; i++) {
            int rank = first + i * EACH;
            means[i] = measure(variant, other -> other == rank).medianNs;
        }
        Outcome all = summary(means);
        return new Outcome(all.medianNs, all.spread, all.perSecond / means.length);
    }

    private Outcome measure(Variant variant, IntPredicate takesPart) {
        Contenders contenders = new Contenders();
        new Simulation(topology, variant.options(topology), costs, Faults.NONE, contenders, 1, false).run(takesPart);
        return contenders.outcome();
    }

    private static Outcome summary(double[] means) {
        double median = Sample.median(means);
        return new Outcome(median, Arrays.stream(means).max().orElseThrow() / median,
            Arrays.stream(means).map(ns -> 1e9 / ns).sum());
    }

    private final class Contenders implements Program {
        private final long[][] ends = new long[topology.rankCount()][];

        @Override
        public void step(RankSteps rank) {
            int steps = rank.stepsMade();
            if (steps == 0) {
                ends[rank.rank()] = new long[warmUp + times + 1];
            }
            ends[rank.rank()][steps] = rank.nowNs();
            if (steps < warmUp + times) {
                rank.await(rank.begin(kind, 0, 0, 1, payloadBytes));
            }
        }

        private Outcome outcome() {
            return summary(Arrays.stream(ends).filter(all -> all != null)
                .mapToDouble(all -> (double) (all[warmUp + times] - all[warmUp]) / times).toArray());
        }
    }
}
