package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.util.List;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.miniapps.exchange.Synchronization;

/**
 * The exchange of ghost cells with four neighbours of Thakur, Gropp and Toonen, table 1: by fence, with their
 * assertions, by post-start-complete-wait and by lock, as ratios to put and notify, which stand for point-to-point
 * messages.
 */
final class GhostExchange implements Experiment {
    private static final int DIMENSIONS = 2;
    /** Those of the table. */
    private static final long[] BYTES = {16, 64, 256, 1 << 10, 16 << 10, 64 << 10, 256 << 10};
    private static final long LONG_FROM = 16 << 10;
    private static final Reach SHORT = Reach.atMost(2);
    private static final Reach LONG = Reach.atMost(1.05);

    private final Bench bench;

    GhostExchange(Bench bench) {
        this.bench = bench;
    }

    @Override
    public void run() throws IOException {
        ProcessGrid grid = ProcessGrid.of(bench.gas().rankCount(), DIMENSIONS);
        for (long bytes : BYTES) {
            measure(Neighbourhood.faces(grid, bench.gas().rank()), bytes);
        }
    }

    private void measure(Neighbourhood neighbourhood, long bytes) throws IOException {
        try (Exchanges exchanges = new Exchanges(bench.gas(), neighbourhood, bytes, Synchronization.MAILBOX,
            Synchronization.FENCE, Synchronization.PSCW, Synchronization.LOCK)) {
            List<Outcome> outcomes = bench.contest(bench.gas().world(), exchanges.steps(bench.work(), 0));
            exchanges.verify();
            if (bench.isOrigin()) {
                for (int i = 0; i < outcomes.size(); i++) {
                    report(bytes, exchanges.kinds().get(i), outcomes.get(i), outcomes.getFirst());
                }
            }
        }
    }

    private void report(long bytes, Exchanges.Kind kind, Outcome outcome, Outcome mailbox) {
        boolean baseline = kind.synchronization() == Synchronization.MAILBOX;
        Result result = Result.of(Part.GHOST_EXCHANGE, kind.synchronization().toString(),
            baseline ? "put and notify" : kind.design().name(), bench.gas().rankCount(), bytes, outcome);
        bench.add(baseline ? result : result.comparedWith("put and notify", outcome.medianNs() / mailbox.medianNs(),
            bytes < LONG_FROM ? SHORT : LONG));
    }
}
