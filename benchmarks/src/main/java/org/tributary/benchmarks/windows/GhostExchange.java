package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.window.Window;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.miniapps.exchange.Synchronization;

/**
 * The exchange of ghost cells with four neighbours of Thakur, Gropp and Toonen, table 1: by fence, with their
 * assertions, by post-start-complete-wait and by lock, as ratios to put and notify, which stand for point-to-point
 * messages. Exchange by lock ends with a notification; {@code lock alone} leaves it out, as the paper does.
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
    public int thirds() {
        return BYTES.length * Bench.CONTEST;
    }

    @Override
    public void run() throws IOException {
        ProcessGrid grid = ProcessGrid.of(bench.gas().rankCount(), DIMENSIONS);
        for (long bytes : BYTES) {
            measure(Neighbourhood.faces(grid, bench.gas().rank()), bytes);
        }
    }

    private void measure(Neighbourhood neighbourhood, long bytes) throws IOException {
        Group world = bench.gas().world();
        GlobalMemory memory = bench.gas().allocate(world, 2 * neighbourhood.count() * bytes);
        try (Exchanges exchanges = new Exchanges(bench.gas(), neighbourhood, bytes, Synchronization.MAILBOX,
            Synchronization.FENCE, Synchronization.PSCW, Synchronization.LOCK);
            LockWindows windows = new LockWindows(bench.gas(), world, memory, 0); Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(neighbourhood.count() * bytes, Long.BYTES);
            List<Repeatable> steps = new ArrayList<>(exchanges.steps(bench.computation(), 0));
            windows.all().forEach(window -> steps.add(locking(window, neighbourhood, source, bytes)));
            List<Outcome> outcomes = bench.contest(world, steps);
            exchanges.verify();
            if (bench.isOrigin()) {
                int exchanging = exchanges.kinds().size();
                for (int i = 0; i < exchanging; i++) {
                    report(bytes, exchanges.kinds().get(i), outcomes.get(i), outcomes.getFirst());
                }
                for (int i = exchanging; i < outcomes.size(); i++) {
                    bench.add(compared(Result.of(Part.GHOST_EXCHANGE, "lock alone",
                        LockWindows.designs().get(i - exchanging).name(), bench.gas().rankCount(), bytes,
                        outcomes.get(i)), outcomes.getFirst()));
                }
            }
        }
        memory.close();
    }

    /** Locks, puts and unlocks as the paper's program does; nobody is told that messages have come. */
    private static Repeatable locking(Window window, Neighbourhood neighbourhood, MemorySegment source, long bytes) {
        int[] others = neighbourhood.distinctRanks();
        int[][] directions = Arrays.stream(others).mapToObj(neighbourhood::directionsTo).toArray(int[][]::new);
        return () -> {
            window.lockAll();
            for (int other = 0; other < others.length; other++) { // what goes to one rank, as one
                window.put(others[other], 2 * directions[other][0] * bytes, source, 0,
                    directions[other].length * bytes);
            }
            window.unlockAll();
        };
    }

    private void report(long bytes, Exchanges.Kind kind, Outcome outcome, Outcome mailbox) {
        boolean baseline = kind.synchronization() == Synchronization.MAILBOX;
        Result result = Result.of(Part.GHOST_EXCHANGE, kind.synchronization().toString(),
            baseline ? "put and notify" : kind.design().name(), bench.gas().rankCount(), bytes, outcome);
        bench.add(baseline ? result : compared(result, mailbox));
    }

    private static Result compared(Result result, Outcome mailbox) {
        return result.comparedWith("put and notify", result.outcome().medianNs() / mailbox.medianNs(),
            result.bytes() < LONG_FROM ? SHORT : LONG);
    }
}
