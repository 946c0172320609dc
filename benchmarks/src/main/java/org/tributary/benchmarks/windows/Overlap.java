package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tributary.benchmarks.measure.Computation;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.Group;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;

/**
 * Overlap of computation with a put from rank 0 to a rank of another node, after section 4.2.1 of Santhanaraman et
 * al.: the largest computation between put and fence that does not make the epoch longer. Of {@code epoch}, as in the
 * paper: over the latency of the epoch without computation. Of {@code transfer}: over what the put adds to an empty
 * epoch, which is all that there is to hide.
 *
 * <p>The largest computation is found by one that is longer than anything can hide, as long as the epoch: what the
 * epoch then takes beyond the same computation alone has not been hidden, and the rest of the epoch's latency has. A
 * second contest inserts just this much computation and takes off what makes the epoch longer after all;
 * {@code stretch} is how many times as long the epoch is then, and shall be about 1. {@code putShare} is the part of
 * an epoch without computation that the call of put takes.
 */
final class Overlap implements Experiment {
    private static final int MEMBERS = 2;
    private static final long SMALLEST = 1 << 10;
    private static final long LARGEST = 4 << 20;
    private static final long REACHED_FROM = 64 << 10;
    private static final long LONG_FROM = 1 << 20;
    private static final Reach FROM_64K = Reach.atLeast(0.90);
    private static final Reach FROM_1M = Reach.atLeast(0.95);
    /** In thirds. */
    private static final int SHORTER = 1;
    /** Of a window for each design: epochs with a put only, with put and computation, and empty ones. */
    private static final int PUT = 0;
    private static final int COMPUTE = 1;
    private static final int EMPTY = 2;
    private static final int ALONE = 3;

    private final Bench bench;
    private final List<FenceDesign> designs = FenceWindows.designs();

    Overlap(Bench bench) {
        this.bench = bench;
    }

    @Override
    public int thirds() {
        return (1 + Long.numberOfTrailingZeros(LARGEST / SMALLEST)) * (Bench.CONTEST + 2 * SHORTER);
    }

    @Override
    public void run() throws IOException {
        bench.inGroup(MEMBERS, pair -> {
            long bytes = bench.isOrigin() ? 0 : LARGEST;
            // Windows of their own for each kind of epoch, as an automatic choice learns from the epoch before.
            try (FenceWindows put = new FenceWindows(bench.gas(), pair, bytes);
                FenceWindows compute = new FenceWindows(bench.gas(), pair, bytes);
                FenceWindows empty = new FenceWindows(bench.gas(), pair, bytes);
                Arena arena = Arena.ofShared()) {
                MemorySegment source = arena.allocate(LARGEST, Long.BYTES).fill((byte) 1);
                Epochs epochs = new Epochs(pair.worldRank(1), source, put.all(), compute.all(), empty.all());
                for (long size = SMALLEST; size <= LARGEST; size *= 2) {
                    measure(pair, epochs, size);
                }
            }
        });
    }

    private void measure(Group pair, Epochs epochs, long size) throws IOException {
        double[] computeNs = new double[designs.size()];
        List<Outcome> estimates = bench.contest(pair, SHORTER, epochs.of(size, computeNs, PUT));
        if (bench.isOrigin()) {
            Arrays.setAll(computeNs, design -> estimates.get(design).medianNs());
        }
        List<Outcome> outcomes = bench.contest(pair, epochs.of(size, computeNs, PUT, COMPUTE, EMPTY, ALONE));
        double[] hiddenNs = new double[designs.size()];
        if (bench.isOrigin()) {
            Arrays.setAll(hiddenNs, design -> hiddenNs(outcomes, design));
        }
        double[] putShares = new double[designs.size()];
        Arrays.setAll(putShares, epochs::putShare);
        List<Outcome> check = bench.contest(pair, SHORTER, epochs.of(size, hiddenNs, PUT, COMPUTE));
        if (bench.isOrigin()) {
            for (int design = 0; design < designs.size(); design++) {
                double checkedNs = ns(check, PUT, design);
                double computingNs = ns(check, COMPUTE, design);
                double hidden = Math.min(hiddenNs[design], hiddenNs(checkedNs, computingNs, hiddenNs[design]));
                report(size, design, outcomes, hidden, putShares[design], computingNs / checkedNs);
            }
        }
    }

    private double ns(List<Outcome> outcomes, int kind, int design) {
        return outcomes.get(kind * designs.size() + design).medianNs();
    }

    private double hiddenNs(List<Outcome> outcomes, int design) {
        return hiddenNs(ns(outcomes, PUT, design), ns(outcomes, COMPUTE, design), ns(outcomes, ALONE, design));
    }

    /** Computation that an epoch hides, from its latency, that with computation, and the computation's by itself. */
    static double hiddenNs(double epochNs, double computingEpochNs, double aloneNs) {
        return Math.clamp(epochNs - (computingEpochNs - aloneNs), 0, epochNs);
    }

    /** The part of the transfer that is hidden; none can be when there is no transfer to see. */
    static double ofTransfer(double hidden, double epochNs, double emptyNs) {
        return epochNs <= emptyNs ? 0 : Math.clamp(hidden / (epochNs - emptyNs), 0, 1);
    }

    private void report(long size, int design, List<Outcome> outcomes, double hidden, double putShare,
        double stretch) {
        Outcome epoch = outcomes.get(design);
        double emptyNs = ns(outcomes, EMPTY, design);
        Reach reach = size < REACHED_FROM || designs.get(design).isDeferred() ? null
            : size < LONG_FROM ? FROM_64K : FROM_1M;
        Result result = Result.of(Part.OVERLAP, "epoch", designs.get(design).name(), MEMBERS, size, epoch)
            .with("hiddenUs", hidden / 1e3).with("emptyUs", emptyNs / 1e3).with("putShare", putShare)
            .with("stretch", stretch);
        bench.add(result.comparedWith("epoch", hidden / epoch.medianNs(), reach));
        bench.add(result.ofVariant("transfer").comparedWith("epoch with put - empty epoch",
            ofTransfer(hidden, epoch.medianNs(), emptyNs), reach));
    }

    /** The epochs of both members. */
    private final class Epochs {
        private final int target;
        private final MemorySegment source;
        private final List<List<Window>> windows;
        private final long[] putNs = new long[designs.size()];
        private final long[] epochNs = new long[designs.size()];

        Epochs(int target, MemorySegment source, List<Window> put, List<Window> compute, List<Window> empty) {
            this.target = target;
            this.source = source;
            this.windows = List.of(put, compute, empty);
        }

        /** The part of the epochs without computation that went by in the call of put, where nothing can be hidden. */
        double putShare(int design) {
            return (double) putNs[design] / epochNs[design];
        }

        /** For each kind, for each design in their order. */
        List<Repeatable> of(long size, double[] computeNs, int... kinds) {
            Arrays.fill(putNs, 0);
            Arrays.fill(epochNs, 0);
            List<Repeatable> all = new ArrayList<>();
            for (int kind : kinds) {
                for (int design = 0; design < designs.size(); design++) {
                    all.add(epoch(kind, design, size, computeNs[design]));
                }
            }
            return all;
        }

        private Repeatable epoch(int kind, int design, long size, double computeNs) {
            Computation computation = bench.computation();
            if (kind == ALONE) {
                return bench.isOrigin() ? () -> computation.run(computeNs) : () -> { };
            }
            Window window = windows.get(kind).get(design);
            if (kind == EMPTY || !bench.isOrigin()) {
                return () -> window.fence();
            }
            return kind == COMPUTE ? () -> {
                window.put(target, 0, source, 0, size);
                computation.run(computeNs);
                window.fence();
            } : () -> {
                long before = System.nanoTime();
                window.put(target, 0, source, 0, size);
                long issued = System.nanoTime();
                window.fence();
                putNs[design] += issued - before;
                epochNs[design] += System.nanoTime() - before;
            };
        }
    }
}
