package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.Group;
import org.tributary.client.window.Assertion;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * Two fences with the assertions of figure 3 of Thakur, Gropp and Toonen, and nothing between, against the two
 * barriers that a simple implementation makes of them and the reduce-scatter that the deferred one does.
 */
final class TwoFences implements Experiment {
    private static final String VARIANT = "no operations";
    /** Less than the noise of a machine that does other things too. */
    private static final Reach ABOUT_THE_SAME = Reach.atMost(1.25);

    private final Bench bench;

    TwoFences(Bench bench) {
        this.bench = bench;
    }

    @Override
    public int thirds() {
        return bench.groups() * Bench.CONTEST;
    }

    @Override
    public void run() throws IOException {
        bench.inGroups(group -> {
            try (FenceWindows windows = new FenceWindows(bench.gas(), group, Long.BYTES)) {
                measure(group, windows);
            }
        });
    }

    private void measure(Group group, FenceWindows windows) throws IOException {
        List<Repeatable> contestants = new ArrayList<>(windows.all().stream().map(TwoFences::epoch).toList());
        contestants.add(() -> {
            group.barrier();
            group.barrier();
        });
        MemorySegment send = MemorySegment.ofArray(new long[group.size()]);
        MemorySegment receive = MemorySegment.ofArray(new long[1]);
        contestants.add(() -> group.reduceScatter(ReduceOp.SUM, ElementType.LONG, send, receive));
        List<Outcome> outcomes = bench.contest(group, contestants);
        if (bench.isOrigin()) {
            report(group.size(), outcomes);
        }
    }

    private static Repeatable epoch(Window window) {
        return () -> {
            window.fence(Assertion.NOPRECEDE);
            window.fence(Assertion.NOSTORE, Assertion.NOPUT, Assertion.NOSUCCEED);
        };
    }

    private void report(int members, List<Outcome> outcomes) {
        int count = FenceWindows.designs().size();
        Outcome barriers = outcomes.get(count);
        Outcome reduceScatter = outcomes.get(count + 1);
        for (FenceDesign design : FenceWindows.designs()) {
            Outcome outcome = outcomes.get(design.ordinal());
            boolean cheap = design.isDeferred() || design == FenceDesign.AUTO;
            bench.add(Result.of(Part.TWO_FENCES, VARIANT, design.name(), members, 0, outcome)
                .with("ratioToTwoBarriers", outcome.medianNs() / barriers.medianNs())
                .comparedWith("reduce-scatter", outcome.medianNs() / reduceScatter.medianNs(),
                    cheap ? ABOUT_THE_SAME : null));
        }
        bench.add(Result.of(Part.TWO_FENCES, VARIANT, "two barriers", members, 0, barriers));
        bench.add(Result.of(Part.TWO_FENCES, VARIANT, "reduce-scatter", members, 0, reduceScatter));
    }
}
