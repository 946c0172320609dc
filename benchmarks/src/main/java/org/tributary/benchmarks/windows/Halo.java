package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.miniapps.exchange.Design;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.miniapps.exchange.Synchronization;

/**
 * Exchange with four and eight neighbours in a periodic grid of all ranks, with computation between puts and fence,
 * after section 4.2.5 of Santhanaraman et al.
 */
final class Halo implements Experiment {
    private static final int DIMENSIONS = 2;
    private static final long[] BYTES = {1 << 10, 16 << 10, 64 << 10};
    private static final double COMPUTE_NS = 200_000;
    private static final Reach NO_SLOWER = Reach.atMost(1);

    private final Bench bench;

    Halo(Bench bench) {
        this.bench = bench;
    }

    @Override
    public int thirds() {
        return 2 * BYTES.length * Bench.CONTEST;
    }

    @Override
    public void run() throws IOException {
        ProcessGrid grid = ProcessGrid.of(bench.gas().rankCount(), DIMENSIONS);
        for (long bytes : BYTES) {
            measure(Neighbourhood.faces(grid, bench.gas().rank()), bytes);
        }
        for (long bytes : BYTES) {
            measure(Neighbourhood.all(grid, bench.gas().rank()), bytes);
        }
    }

    private void measure(Neighbourhood neighbourhood, long bytes) throws IOException {
        try (Exchanges exchanges = new Exchanges(bench.gas(), neighbourhood, bytes, Synchronization.FENCE)) {
            List<Outcome> outcomes = bench.contest(bench.gas().world(),
                exchanges.steps(bench.computation(), COMPUTE_NS));
            exchanges.verify();
            if (bench.isOrigin()) {
                for (int i = 0; i < outcomes.size(); i++) {
                    report(neighbourhood.count(), bytes, exchanges.kinds(), outcomes, i);
                }
            }
        }
    }

    /** Notify or the automatic choice shall be the fastest, so both are asked for the faster of the two. */
    private void report(int neighbours, long bytes, List<Exchanges.Kind> kinds, List<Outcome> outcomes, int index) {
        double favoured = fastest(kinds, outcomes, true);
        double others = fastest(kinds, outcomes, false);
        Outcome outcome = outcomes.get(index);
        Design design = kinds.get(index).design();
        Result result = Result.of(Part.HALO, neighbours + " neighbours", design.name(), bench.gas().rankCount(), bytes,
            outcome).with("computeUs", COMPUTE_NS / 1e3);
        bench.add(isFavoured(design)
            ? result.with("ratioToFastest", outcome.medianNs() / Math.min(favoured, others))
                .comparedWith("fastest other; of the faster of AUTO and IMMEDIATE_NOTIFY", favoured / others, NO_SLOWER)
            : result.comparedWith("fastest", outcome.medianNs() / Math.min(favoured, others), null));
    }

    private static boolean isFavoured(Design design) {
        return design == Design.AUTO || design == Design.IMMEDIATE_NOTIFY;
    }

    private static double fastest(List<Exchanges.Kind> kinds, List<Outcome> outcomes, boolean favoured) {
        return IntStream.range(0, kinds.size()).filter(i -> isFavoured(kinds.get(i).design()) == favoured)
            .mapToDouble(i -> outcomes.get(i).medianNs()).min().orElseThrow();
    }
}
