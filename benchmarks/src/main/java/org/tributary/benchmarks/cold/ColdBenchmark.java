package org.tributary.benchmarks.cold;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.client.Gas;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench cold}: rank 0 calls, all others wait in a barrier. */
@Command(name = "cold", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "How much longer the first operations of a job take than later ones.",
    footer = {"", "Calls the first operations of each kind, one kind after the other, as soon as the job has started;",
        "then each kind again until it is warm. They go from rank 0 to the first rank of the next node. What one kind",
        "has warmed up is warm for the next one: --ops decides which of them comes first."})
public final class ColdBenchmark extends Benchmark {
    private static final Reach MEDIAN = Reach.atMost(3);
    private static final Reach MEAN = Reach.atMost(10);
    private static final int MAX_COUNT = 100_000;

    @Option(names = "--ops", split = ",", paramLabel = "OP", converter = FirstOperation.Converter.class,
        description = "what to call, in this order (default: all): put+fence, get, accumulate+fence, fetchAndAdd,"
            + " lock+unlock, strided-put+fence, strided-get, vector-put+fence, put-with-flag+fence,"
            + " window-lock+put+unlock, put-256K+fence, get-256K")
    private List<FirstOperation> operations = List.of(FirstOperation.values());

    @Option(names = "--first", paramLabel = "N", defaultValue = "200",
        description = "operations of each kind that count as the first")
    private int first;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "2",
        description = "for which each kind is called until it counts as warm, and a quarter of it for the measurement")
    private double seconds;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new ColdBenchmark(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        if (first < 1 || first > MAX_COUNT || !(seconds > 0)) {
            throw refusal("--first must be between 1 and " + MAX_COUNT + ", and --seconds positive");
        }
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.topology().nodeCount() < 2) {
            throw refusal("operations go to another node; start it with --nodes 2");
        }
        Settings settings = Settings.builder().environment(System.getenv()).build();
        Run run = job.rank() == 0 ? run(job.topology()) : null;
        try (Gas gas = Gas.attach(job, settings); Arena arena = Arena.ofConfined();
            Place place = Place.allocate(gas, arena)) {
            if (run != null) {
                measure(place, run);
            }
            gas.barrier();
        }
        return 0;
    }

    private void measure(Place place, Run run) throws IOException {
        Map<FirstOperation, Sample> cold = new EnumMap<>(FirstOperation.class);
        for (FirstOperation operation : operations) {
            cold.put(operation, firstOnes(operation, place));
        }
        System.out.println(run);
        Table table = table();
        System.out.printf(Locale.ROOT, "%-24s %10s %10s %10s %10s %10s %10s %8s %8s%n", "us", "first", "median",
            "mean", "longest", "warm", "warm mean", "median", "mean");
        Progress progress = Progress.of("cold", operations.size(), true);
        for (FirstOperation operation : operations) {
            Sample before = cold.get(operation);
            Sample warm = warm(operation, place);
            double median = before.medianUs() / warm.medianUs();
            double mean = before.meanUs() / warm.meanUs();
            System.out.printf(Locale.ROOT, "%-24s %10.0f %10.1f %10.1f %10.0f %10.1f %10.1f %8.2f %8.2f%n", operation,
                before.firstUs(), before.medianUs(), before.meanUs(), before.maxUs(), warm.medianUs(), warm.meanUs(),
                median, mean);
            addRow(table, operation, before, warm);
            progress.step();
        }
        run.write(System.out, List.of(table), "The first " + first + " operations of each kind, called by rank 0 one"
            + " kind after the other as soon as the job has started, and the same after " + seconds + " s of calls."
            + " Met are " + MEDIAN + " in the median and " + MEAN + " in the mean.");
    }

    /** The first ones cannot be faster than warm ones, so that neither ratio is one that can be won. */
    static Table table() {
        return Table.of("first operations", Column.words("operation"), Column.of("first", "us"),
            Column.of("median of the first", "us"), Column.of("mean of the first", "us"),
            Column.of("longest of the first", "us"), Column.of("warm median", "us"), Column.of("warm mean", "us"),
            Column.of("warm longest", "us"), Column.ratio("median to warm", null),
            Column.ratio("mean to warm", null), Column.words("aim"), Column.words("met"));
    }

    static void addRow(Table table, FirstOperation operation, Sample before, Sample warm) {
        double median = before.medianUs() / warm.medianUs();
        double mean = before.meanUs() / warm.meanUs();
        table.row(operation, before.firstUs(), before.medianUs(), before.meanUs(), before.maxUs(), warm.medianUs(),
            warm.meanUs(), warm.maxUs(), median, mean, "median " + MEDIAN + ", mean " + MEAN,
            MEDIAN.isMet(median) && MEAN.isMet(mean));
    }

    private Sample firstOnes(FirstOperation operation, Place place) {
        long[] timesNs = new long[first];
        long startNs = System.nanoTime();
        long beforeNs = startNs;
        for (int i = 0; i < first; i++) {
            operation.call(place);
            long nowNs = System.nanoTime();
            timesNs[i] = nowNs - beforeNs;
            beforeNs = nowNs;
        }
        long firstNs = timesNs[0];
        return Sample.of(timesNs, first, beforeNs - startNs, firstNs);
    }

    private Sample warm(FirstOperation operation, Place place) {
        long warmNs = (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        for (long startNs = System.nanoTime(); System.nanoTime() - startNs < warmNs;) {
            operation.call(place);
        }
        long[] timesNs = new long[MAX_COUNT];
        long startNs = System.nanoTime();
        long beforeNs = startNs;
        int count = 0;
        while (count < MAX_COUNT && (count < first || beforeNs - startNs < warmNs / 4)) {
            operation.call(place);
            long nowNs = System.nanoTime();
            timesNs[count++] = nowNs - beforeNs;
            beforeNs = nowNs;
        }
        return Sample.of(timesNs, count, beforeNs - startNs, 0);
    }
}
