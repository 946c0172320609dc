package org.tributary.benchmarks.cooperation;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tributary.benchmarks.cooperation.Contention.Outcome;
import org.tributary.config.Topology;
import org.tributary.simulator.Costs;
import org.tributary.simulator.Op;

/** Obtains the results of each figure, every variant beside a job without cooperation. */
final class Figures {
    /** Times of an uncontended operation, over mode none's. */
    private static final double MAX_UNCONTENDED = 1.10;
    /** Rates under contention of a fifth of all ranks, over mode none's. */
    private static final double MIN_GAIN = 5;
    private static final double MAX_SPREAD = 2;
    private static final int FIFTH = 20;
    private static final int ALL = 100;
    private static final double BYTES_PER_MEGABYTE = 1e6;

    private final Costs costs;
    private final int groupSize;
    private final Consumer<Result> results;

    Figures(Costs costs, int groupSize, Consumer<Result> results) {
        this.costs = costs;
        this.groupSize = groupSize;
        this.results = results;
    }

    /** Operations a second, of all ranks, against the percentage of ranks that contend. */
    void contention(int nodes, int ranksPerNode) {
        Topology topology = Topology.uniform(nodes, ranksPerNode);
        contention("fetch-and-add", often(topology, Op.Kind.FETCH_AND_ADD, Long.BYTES));
        contention("strided-put-72", often(topology, Op.Kind.PUT, 72));
        contention("strided-put-512", often(topology, Op.Kind.PUT, 512));
    }

    private Contention often(Topology topology, Op.Kind kind, int payloadBytes) {
        return new Contention(topology, costs, kind, payloadBytes, Contention.WARM_UP, Contention.TIMES);
    }

    /** Operations a second when a fifth of the ranks of a job draw a few numbers from one counter. */
    void scale(List<Topology> topologies) {
        for (Topology topology : topologies) {
            Contention contention = new Contention(topology, costs, Op.Kind.FETCH_AND_ADD, Long.BYTES, 1, 2);
            compare(noneAndCombined(), variant -> {
                Outcome outcome = contention.run(variant, FIFTH);
                return Result.of("scale", variant, topology.rankCount(), outcome.perSecond())
                    .with(Double.NaN, outcome.spread());
            });
        }
    }

    /** The values of all variants, over that of the first, which is mode none. */
    private void compare(List<Variant> variants, Function<Variant, Result> measurement) {
        double none = Double.NaN;
        for (Variant variant : variants) {
            Result result = measurement.apply(variant);
            none = variant.isNone() ? result.value() : none;
            results.accept(result.with(result.value() / none, result.spread()));
        }
    }

    private List<Variant> noneAndCombined() {
        return List.of(Variant.NONE, new Variant("combine", "process", groupSize, true),
            new Variant("combine", "node", groupSize, true));
    }

    private void contention(String operation, Contention contention) {
        for (int percent : new int[] {0, FIFTH, ALL}) {
            double noneRate = 0;
            double noneNs = 0;
            for (Variant variant : Variant.all(groupSize)) {
                Outcome outcome = contention.run(variant, percent);
                noneRate = variant.isNone() ? outcome.perSecond() : noneRate;
                noneNs = variant.isNone() ? outcome.medianNs() : noneNs;
                double gain = outcome.perSecond() / noneRate;
                Result result = Result.of(operation, variant, percent, outcome.perSecond())
                    .with(gain, outcome.spread());
                if (percent == 0 && !variant.isNone()) {
                    double slower = outcome.medianNs() / noneNs;
                    result = result.judged(String.format(Locale.ROOT, "time <= %.2f x none", MAX_UNCONTENDED),
                        slower <= MAX_UNCONTENDED);
                } else if (percent == FIFTH && variant.mode().equals("combine")) {
                    result = result.judged(String.format(Locale.ROOT, "rate >= %.0f x none, spread <= %.0f",
                        MIN_GAIN, MAX_SPREAD), gain >= MIN_GAIN && outcome.spread() <= MAX_SPREAD);
                }
                results.accept(result);
                if (percent == 0 && !variant.isNone()) {
                    // What the route itself costs where direct connections would be used.
                    Outcome routed = contention.run(variant.routed(), percent);
                    results.accept(Result.of(operation, variant.routed(), percent, routed.perSecond())
                        .with(routed.perSecond() / noneRate, routed.spread()));
                }
            }
        }
    }

    /** Seconds of an iteration against the number of processes. */
    void application(List<Topology> topologies, long meanTaskNs) {
        for (Topology topology : topologies) {
            compare(Variant.all(groupSize), variant -> Result.of("fock-build", variant, topology.rankCount(),
                FockBuild.run(topology, variant, costs, meanTaskNs) / 1e9));
        }
    }

    /** Megabytes of receive rings of a server against the number of processes. */
    void rings() {
        for (int nodes : new int[] {16, 64, 256, 1024}) {
            rings(nodes, 12);
        }
        rings(25_000, 20);
        rings(50_000, 20);
    }

    private void rings(int nodes, int ranksPerNode) {
        double none = 0;
        for (Variant variant : noneAndCombined()) {
            double bytes = MemoryModel.bytes(variant, nodes, ranksPerNode);
            none = variant.isNone() ? bytes : none;
            Result result = Result.of("rings", variant, (double) nodes * ranksPerNode, bytes / BYTES_PER_MEGABYTE)
                .with(bytes / none, Double.NaN);
            if (nodes == 1024 && !variant.isNone()) {
                double limit = variant.scope().equals("node") ? 100 : 7;
                result = result.judged(String.format(Locale.ROOT, "none / %.0f", limit), none / bytes >= limit);
            }
            results.accept(result);
        }
    }
}
