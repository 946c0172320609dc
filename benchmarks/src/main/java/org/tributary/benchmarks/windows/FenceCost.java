package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.Group;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;

/**
 * Time and messages of a fence in groups of several sizes, after figures 7 to 9 of Santhanaraman et al.: without
 * operations, with one put of 16 bytes of every member to the next one, and with puts to the next eight, some of them
 * the same in groups of less than nine.
 */
final class FenceCost implements Experiment {
    private static final int BYTES = 16;
    private static final int SLOTS = 8;
    private static final int VARIANTS = 3;
    private static final Reach NO_SLOWER = Reach.atMost(1);

    private final Bench bench;

    FenceCost(Bench bench) {
        this.bench = bench;
    }

    @Override
    public int thirds() {
        return bench.groups() * VARIANTS * Bench.CONTEST;
    }

    @Override
    public void run() throws IOException {
        bench.inGroups(group -> {
            try (FenceWindows windows = new FenceWindows(bench.gas(), group, SLOTS * BYTES);
                Arena arena = Arena.ofShared()) {
                MemorySegment source = arena.allocate(BYTES, Long.BYTES);
                measure("empty", group, windows, source, 0);
                measure("one put", group, windows, source, 1);
                measure("8 puts", group, windows, source, SLOTS);
            }
        });
    }

    private void measure(String variant, Group group, FenceWindows windows, MemorySegment source, int puts)
        throws IOException {
        int[] targets = new int[puts];
        for (int i = 0; i < puts; i++) {
            int distance = 1 + i % (group.size() - 1);
            targets[i] = group.worldRank((group.rank() + distance) % group.size());
        }
        List<Outcome> outcomes = bench.contest(group,
            windows.all().stream().map(window -> epoch(window, targets, source)).toList());
        if (bench.isOrigin()) {
            for (FenceDesign design : FenceWindows.designs()) {
                report(variant, group.size(), puts == 0 ? 0 : BYTES, design, outcomes);
            }
        }
    }

    private static Repeatable epoch(Window window, int[] targets, MemorySegment source) {
        return () -> {
            for (int i = 0; i < targets.length; i++) {
                window.put(targets[i], (long) i * BYTES, source);
            }
            window.fence();
        };
    }

    /** Once there are puts, notify shall be no slower than opt, and opt no slower than naive. */
    private void report(String variant, int members, int bytes, FenceDesign design, List<Outcome> outcomes) {
        Outcome outcome = outcomes.get(design.ordinal());
        Result result = Result.of(Part.FENCE, variant, design.name(), members, bytes, outcome);
        FenceDesign slower = switch (design) {
            case IMMEDIATE_NOTIFY -> FenceDesign.IMMEDIATE_OPT;
            case IMMEDIATE_OPT -> FenceDesign.IMMEDIATE_NAIVE;
            default -> null;
        };
        bench.add(slower == null
            ? result.comparedWith("fastest design", outcome.medianNs() / fastest(outcomes), null)
            : result.comparedWith(slower.name(), outcome.medianNs() / outcomes.get(slower.ordinal()).medianNs(),
                bytes == 0 ? null : NO_SLOWER));
    }

    private static double fastest(List<Outcome> outcomes) {
        return FenceWindows.designs().stream().filter(design -> design != FenceDesign.AUTO)
            .mapToDouble(design -> outcomes.get(design.ordinal()).medianNs()).min().orElseThrow();
    }
}
