package org.tributary.benchmarks.cooperation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.tributary.benchmarks.cooperation.RealOperation.Kind;
import org.tributary.benchmarks.job.JvmJob;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.fock.Fock;
import picocli.CommandLine;

/**
 * Costs and gains of cooperation with real servers, all in this JVM. Each variant has its job beside one without
 * cooperation, and short rounds of both take turns, so that what else the machine does meets both.
 */
final class RealServers {
    private static final Topology SIXTEEN_NODES = Topology.uniform(16, 1);
    private static final Topology CONTENDING = Topology.uniform(16, 4);
    private static final Topology APPLICATION = Topology.uniform(4, 4);
    private static final int GROUP = 4;
    private static final int APPLICATION_GROUP = 2;
    private static final double CONTIGUOUS_LIMIT = 1.05;
    private static final double OTHER_LIMIT = 1.15;
    private static final double MAX_SPREAD = 2;
    private static final int[] PERCENTAGES = {20, 100};
    private static final int ALL = 100;
    private static final int WARM_UP_ROUNDS = 20;
    private static final int LONG = 10;
    private static final int LONG_ROUNDS_DIVISOR = 3;
    private static final double NS_PER_SECOND = 1e9;
    private static final double NS_PER_US = 1e3;

    private final Settings base;
    private final int rounds;
    private final int longRounds;
    private final long roundNs;
    private final Consumer<Result> results;
    private final Baselines baselines = new Baselines();

    /**
     * Rounds of {@code roundMs} each, after some that warm up; where ranks contend and for the application, a third as
     * many.
     */
    RealServers(Map<String, String> environment, int rounds, long roundMs, Consumer<Result> results) {
        this.base = Settings.builder().environment(environment).build();
        this.rounds = rounds;
        this.longRounds = Math.max(1, rounds / LONG_ROUNDS_DIVISOR);
        this.roundNs = roundMs * 1_000_000;
        this.results = results;
    }

    private Settings settings(Variant variant) {
        Settings.Builder settings = Settings.builder().environment(base.toEnvironment())
            .set("server.bind-address=127.0.0.1").set("server.port=0").set("job.on-failure=throw");
        variant.settings().forEach(settings::set);
        return settings.build();
    }

    private JvmJob start(Topology topology, Variant variant) throws IOException {
        return new JvmJob(topology, settings(variant), RealOperation.MEMORY);
    }

    private static List<Variant> variants(int groupSize) {
        Variant aggregate = new Variant("aggregate", "process", groupSize, true);
        return List.of(aggregate, new Variant("combine", "process", groupSize, true),
            new Variant("forward", "process", groupSize, true), new Variant("aggregate", "node", groupSize, true),
            aggregate.routed());
    }

    /** Figures 3 to 5: one rank of the first node and its counterpart on the last, all others idle. */
    void uncontended() throws IOException {
        List<RealOperation> operations = new ArrayList<>();
        for (int bytes : new int[] {8, 1 << 10, 16 << 10, 256 << 10}) {
            operations.add(new RealOperation(Kind.PUT, bytes));
            operations.add(new RealOperation(Kind.GET, bytes));
        }
        for (int bytes : new int[] {72, 512, 8 << 10}) {
            operations.add(new RealOperation(Kind.PUT_STRIDED, bytes));
            operations.add(new RealOperation(Kind.GET_STRIDED, bytes));
        }
        operations.add(new RealOperation(Kind.LOCK, Long.BYTES));
        operations.add(new RealOperation(Kind.ACCUMULATE, Long.BYTES));
        operations.add(new RealOperation(Kind.FETCH_AND_ADD, Long.BYTES));
        for (Variant variant : variants(GROUP)) {
            try (JvmJob none = start(SIXTEEN_NODES, Variant.NONE);
                JvmJob other = start(SIXTEEN_NODES, variant)) {
                for (RealOperation operation : operations) {
                    compare(operation, variant, none, other);
                }
            }
        }
        baselines.report(results);
    }

    private void compare(RealOperation operation, Variant variant, JvmJob none, JvmJob other) {
        uncontended(operation, none, WARM_UP_ROUNDS * roundNs, new ArrayList<>());
        uncontended(operation, other, WARM_UP_ROUNDS * roundNs, new ArrayList<>());
        List<Double> noneUs = new ArrayList<>();
        List<Double> otherUs = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            // Who is first alternates, too.
            boolean isFirst = round % 2 == 0;
            uncontended(operation, isFirst ? none : other, roundNs, isFirst ? noneUs : otherUs);
            uncontended(operation, isFirst ? other : none, roundNs, isFirst ? otherUs : noneUs);
        }
        boolean isContiguous = operation.kind() == Kind.PUT || operation.kind() == Kind.GET;
        double limit = isContiguous ? CONTIGUOUS_LIMIT : OTHER_LIMIT;
        double medianNoneUs = medianOf(noneUs, us -> us);
        double medianOtherUs = medianOf(otherUs, us -> us);
        double ratio = medianNoneUs / medianOtherUs;
        baselines.add(Result.of(operation.part(), Variant.NONE, operation.bytes(), medianNoneUs));
        Result result = Result.of(operation.part(), variant, operation.bytes(), medianOtherUs)
            .with(ratio, Double.NaN);
        boolean isJudged = variant.mayGoDirect() && (isContiguous || variant.mode().equals("aggregate"));
        results.accept(!isJudged ? result : result.judged(
            String.format(Locale.ROOT, "time <= %.2f x none", limit), ratio >= 1 / limit));
    }

    /** Adds microseconds of an operation, of each batch. */
    private static void uncontended(RealOperation operation, JvmJob job, long durationNs, List<Double> us) {
        int last = SIXTEEN_NODES.rankCount() - 1;
        us.addAll(job.on(0, rank -> {
            RealOperation.Repeated repeated = operation.on(rank, last);
            List<Double> times = new ArrayList<>();
            long startNs = System.nanoTime();
            long nowNs = startNs;
            while (nowNs - startNs < durationNs) {
                long beforeNs = nowNs;
                repeated.once();
                nowNs = System.nanoTime();
                times.add((nowNs - beforeNs) / NS_PER_US / operation.batch());
            }
            return times;
        }));
    }

    private record Contended(double perSecond, double spread) {
    }

    /** Figures 7 and 8 at what this machine carries: some or all ranks of other nodes on one word of rank 0. */
    void contended() throws IOException {
        List<RealOperation> operations = List.of(new RealOperation(Kind.FETCH_AND_ADD, Long.BYTES),
            new RealOperation(Kind.PUT_STRIDED, 72), new RealOperation(Kind.PUT_STRIDED, 512));
        for (Variant variant : List.of(new Variant("aggregate", "process", GROUP, true),
            new Variant("combine", "process", GROUP, true), new Variant("combine", "node", GROUP, true))) {
            try (JvmJob none = start(CONTENDING, Variant.NONE); JvmJob other = start(CONTENDING, variant)) {
                for (RealOperation operation : operations) {
                    for (int percent : PERCENTAGES) {
                        contend(operation, percent, variant, none, other);
                    }
                }
            }
        }
        baselines.report(results);
    }

    private void contend(RealOperation operation, int percent, Variant variant, JvmJob none, JvmJob other) {
        int onTarget = CONTENDING.rankCount(0);
        List<Integer> ranks = IntStream.range(onTarget, CONTENDING.rankCount())
            .filter(rank -> rank % (ALL / percent) == 0).boxed().toList();
        List<Contended> without = new ArrayList<>();
        List<Contended> with = new ArrayList<>();
        contend(operation, none, ranks, WARM_UP_ROUNDS * roundNs);
        contend(operation, other, ranks, WARM_UP_ROUNDS * roundNs);
        for (int round = 0; round < longRounds; round++) {
            boolean isFirst = round % 2 == 0;
            (isFirst ? without : with).add(contend(operation, isFirst ? none : other, ranks, LONG * roundNs));
            (isFirst ? with : without).add(contend(operation, isFirst ? other : none, ranks, LONG * roundNs));
        }
        double ratio = Sample.median(IntStream.range(0, longRounds)
            .mapToDouble(round -> with.get(round).perSecond() / without.get(round).perSecond()).toArray());
        String part = "real-contended-" + operation.part().substring("real-".length()) + "-" + operation.bytes();
        baselines.add(result(part, Variant.NONE, percent, without, Double.NaN));
        Result result = result(part, variant, percent, with, ratio);
        results.accept(result.judged(String.format(Locale.ROOT, "spread <= %.0f", MAX_SPREAD),
            result.spread() <= MAX_SPREAD));
    }

    private static Result result(String part, Variant variant, int percent, List<Contended> rounds, double ratio) {
        return Result.of(part, variant, percent, medianOf(rounds, Contended::perSecond))
            .with(ratio, medianOf(rounds, Contended::spread));
    }

    private static <T> double medianOf(List<T> rounds, ToDoubleFunction<T> of) {
        return Sample.median(rounds.stream().mapToDouble(of).toArray());
    }

    /** Operations a second of all, and how much longer those of the slowest rank take than the median one's. */
    private static Contended contend(RealOperation operation, JvmJob job, List<Integer> ranks, long durationNs) {
        List<Double> rates = job.on(ranks, rank -> {
            RealOperation.Repeated repeated = operation.on(rank, 0);
            long startNs = System.nanoTime();
            long nowNs = startNs;
            long done = 0;
            while (nowNs - startNs < durationNs) {
                repeated.once();
                done += operation.batch();
                nowNs = System.nanoTime();
            }
            return done * NS_PER_SECOND / (nowNs - startNs);
        });
        double[] sorted = rates.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return new Contended(Arrays.stream(sorted).sum(), Sample.median(sorted) / sorted[0]);
    }

    /** Figure 10: seconds of the mini-application at 16 ranks. */
    void application() throws IOException {
        for (Variant variant : List.of(new Variant("forward", "process", APPLICATION_GROUP, true),
            new Variant("aggregate", "process", APPLICATION_GROUP, true),
            new Variant("combine", "process", APPLICATION_GROUP, true),
            new Variant("combine", "node", APPLICATION_GROUP, true))) {
            try (JvmJob none = start(APPLICATION, Variant.NONE); JvmJob other = start(APPLICATION, variant)) {
                double[] noneSeconds = new double[longRounds];
                double[] otherSeconds = new double[longRounds];
                double[] ratios = new double[longRounds];
                fock(none);
                fock(other);
                for (int round = 0; round < longRounds; round++) {
                    boolean isFirst = round % 2 == 0;
                    (isFirst ? noneSeconds : otherSeconds)[round] = fock(isFirst ? none : other);
                    (isFirst ? otherSeconds : noneSeconds)[round] = fock(isFirst ? other : none);
                    ratios[round] = otherSeconds[round] / noneSeconds[round];
                }
                int ranks = APPLICATION.rankCount();
                baselines.add(Result.of("real-fock-build", Variant.NONE, ranks, Sample.median(noneSeconds)));
                results.accept(Result.of("real-fock-build", variant, ranks, Sample.median(otherSeconds))
                    .with(Sample.median(ratios), Double.NaN));
            }
        }
        baselines.report(results);
    }

    private static double fock(JvmJob job) {
        return job.onAll(rank -> {
            Fock app = new Fock();
            new CommandLine(app).parseArgs("--size", "64", "--block", "8", "--iterations", "1");
            PrintStream nowhere = new PrintStream(new ByteArrayOutputStream());
            if (!app.run(rank.gas(), new Report(nowhere, false))) {
                throw new IllegalStateException("the Fock matrix is wrong");
            }
            return app.bestSeconds();
        }).getFirst();
    }
}
