package org.tributary.benchmarks.cooperation;

import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.simulator.Costs;
import org.tributary.simulator.Faults;
import org.tributary.simulator.Op;
import org.tributary.simulator.Program;
import org.tributary.simulator.RankSteps;
import org.tributary.simulator.Simulation;

/**
 * What a server with several event loops does: more and more ranks of other nodes do something there again and again,
 * each on a word, or with a mutex, of its own, and wait for it to be complete. They only communicate, or compute
 * between two operations.
 */
final class LoopFigures {
    /** The number of ranks from which on twice as many do hardly more. */
    static final String FULL = "loops-full";
    private static final String PREFIX = "loops-";
    private static final int[] LOOPS = {1, 2, 4, 8};
    private static final int MOST_RANKS = 256;
    private static final int RANKS_OF_A_NODE = 4;
    private static final Topology TOPOLOGY = Topology.uniform(1 + MOST_RANKS / RANKS_OF_A_NODE, RANKS_OF_A_NODE);
    private static final long COMPUTATION_NS = 100_000;
    private static final double HARDLY_MORE = 1.1;
    private static final int WARM_UP = 40;
    private static final int TIMES = 100;

    private enum Work {
        PUT("put", Op.Kind.PUT, 0),
        FETCH_AND_ADD("fetch-and-add", Op.Kind.FETCH_AND_ADD, 0),
        LOCK("lock", Op.Kind.LOCK, 0),
        COMPUTING("put-computing", Op.Kind.PUT, COMPUTATION_NS);

        private final String text;
        private final Op.Kind kind;
        private final long computationNs;

        Work(String text, Op.Kind kind, long computationNs) {
            this.text = text;
            this.kind = kind;
            this.computationNs = computationNs;
        }
    }

    private final Costs costs;
    private final Consumer<Result> results;

    LoopFigures(Costs costs, Consumer<Result> results) {
        this.costs = costs;
        this.results = results;
    }

    /** Operations a second, of all ranks, against their number. */
    void run() {
        for (Work work : Work.values()) {
            double[] one = new double[0];
            for (int loops : LOOPS) {
                double[] rates = IntStream.iterate(1, ranks -> ranks <= MOST_RANKS, ranks -> 2 * ranks)
                    .mapToDouble(ranks -> perSecond(work, ranks, loops)).toArray();
                one = loops == 1 ? rates : one;
                for (int i = 0; i < rates.length; i++) {
                    results.accept(result(PREFIX + work.text, loops == 1 ? "1 loop" : loops + " loops", 1 << i,
                        rates[i], rates[i] / one[i]));
                }
                results.accept(result(FULL, work.text, loops, fullFrom(rates), Double.NaN));
            }
        }
    }

    private static Result result(String part, String variant, double x, double value, double ratio) {
        return new Result(part, variant, x, value, ratio, Double.NaN, null, false);
    }

    /** How many ranks keep all loops busy; NaN if even all of them do not. {@code rates} are of 1, 2, 4 ... ranks. */
    static double fullFrom(double... rates) {
        return IntStream.range(0, rates.length - 1).filter(i -> rates[i + 1] < HARDLY_MORE * rates[i])
            .mapToDouble(i -> 1 << i).findFirst().orElse(Double.NaN);
    }

    private double perSecond(Work work, int ranks, int loops) {
        CooperationOptions options = CooperationOptions.of(Settings.defaults(), TOPOLOGY);
        Senders senders = new Senders(work);
        int first = TOPOLOGY.rankCount(0);
        new Simulation(TOPOLOGY, options, loops, costs, Faults.NONE, senders, 1, false)
            .run(rank -> rank >= first && rank < first + ranks);
        return senders.perSecond;
    }

    /** Counts what all do while the first of them does what it is timed for: behind that, others have less company. */
    private static final class Senders implements Program {
        private final Work work;
        private boolean isCounting;
        private long begunNs;
        private long done;
        private double perSecond;

        Senders(Work work) {
            this.work = work;
        }

        @Override
        public void step(RankSteps rank) {
            int steps = rank.stepsMade();
            if (isCounting) {
                done++;
            }
            if (steps == WARM_UP && !isCounting && perSecond == 0) {
                isCounting = true;
                begunNs = rank.nowNs();
            } else if (steps == WARM_UP + TIMES && isCounting) {
                isCounting = false;
                perSecond = done * 1e9 / (rank.nowNs() - begunNs);
            }
            if (work.kind == Op.Kind.LOCK && steps > 0 && steps <= WARM_UP + TIMES) {
                rank.begin(Op.Kind.UNLOCK, 0, rank.rank(), 0, 0);
            }
            if (steps < WARM_UP + TIMES) {
                if (work.computationNs > 0) {
                    rank.compute(work.computationNs);
                }
                rank.await(rank.begin(work.kind, 0, rank.rank(), 1, Long.BYTES));
            }
        }
    }
}
