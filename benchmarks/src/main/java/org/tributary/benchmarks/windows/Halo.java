package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.util.Comparator;
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

    /**
     * Notify or the automatic choice shall be the fastest, so the faster of the two is asked for it: one question,
     * which one row answers.
     */
    private void report(int neighbours, long bytes, List<Exchanges.Kind> kinds, List<Outcome> outcomes, int index) {
        int favoured = fastest(kinds, outcomes, true);
        double favouredNs = outcomes.get(favoured).medianNs();
        double othersNs = outcomes.get(fastest(kinds, outcomes, false)).medianNs();
        Outcome outcome = outcomes.get(index);
        double toFastest = outcome.medianNs() / Math.min(favouredNs, othersNs);
        Result result = Result.of(Part.HALO, neighbours + " neighbours", kinds.get(index).design().name(),
            bench.gas().rankCount(), bytes, outcome).with("computeUs", COMPUTE_NS / 1e3);
        bench.add(index == favoured
            ? result.with("ratioToFastest", toFastest)
                .comparedWith("fastest other; of the faster of AUTO and IMMEDIATE_NOTIFY", favouredNs / othersNs,
                    NO_SLOWER)
            : result.comparedWith("fastest", toFastest, null));
    }

    private static boolean isFavoured(Design design) {
        return design == Design.AUTO || design == Design.IMMEDIATE_NOTIFY;
    }

    /** Its index. */
    private static int fastest(List<Exchanges.Kind> kinds, List<Outcome> outcomes, boolean favoured) {
        return IntStream.range(0, kinds.size()).filter(i -> isFavoured(kinds.get(i).design()) == favoured).boxed()
            .min(Comparator.comparingDouble(i -> outcomes.get(i).medianNs())).orElseThrow();
    }
}
