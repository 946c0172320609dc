package org.tributary.benchmarks.cold;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.config.JobEnvironment;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench cold}: rank 0 starts jobs, one after another; other ranks do nothing. */
@Command(name = "cold", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "How much longer the first operations of a job take than later ones.",
    footer = {"", "Each job has two nodes with a rank each. It calls the first operations of each kind, one kind after",
        "the other, as soon as it has started; then each kind again until it is warm. They go from rank 0 to the rank",
        "of the other node. What one kind has warmed up is warm for the next one: --ops decides which of them comes",
        "first. Jobs differ: medians of several count. They have the settings of this one (--set)."})
public final class ColdBenchmark extends Benchmark {
    private static final Reach MEDIAN = Reach.atMost(3);
    private static final Reach MEAN = Reach.atMost(10);
    private static final int MAX_JOBS = 1_000;

    @Option(names = "--ops", split = ",", paramLabel = "OP", converter = FirstOperation.Converter.class,
        description = "what to call, in this order (default: all): put+fence, get, accumulate+fence, fetchAndAdd,"
            + " lock+unlock, strided-put+fence, strided-get, vector-put+fence, put-with-flag+fence,"
            + " window-lock+put+unlock, put-256K+fence, get-256K")
    private List<FirstOperation> operations = List.of(FirstOperation.values());

    @Option(names = "--first", paramLabel = "N", defaultValue = "200",
        description = "operations of each kind that count as the first")
    private int first;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "1.5",
        description = "for which each kind is called until it counts as warm, and a quarter of it for the measurement")
    private double seconds;

    @Option(names = "--jobs", paramLabel = "N", defaultValue = "5", description = "how many jobs to start")
    private int jobs;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new ColdBenchmark(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (first < 1 || first > ColdJob.MAX_COUNT || !(seconds > 0)) {
            throw refusal("--first must be between 1 and " + ColdJob.MAX_COUNT + ", and --seconds positive");
        }
        if (jobs < 1 || jobs > MAX_JOBS) {
            throw refusal("--jobs must be between 1 and " + MAX_JOBS + ", not " + jobs);
        }
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        LauncherCommand launcher = launcherOfThisJob();
        Run run = run(job.topology());
        System.out.println(run);
        Progress progress = Progress.of("cold", (long) jobs * operations.size(), true);
        List<Map<FirstOperation, ColdJob.Times>> all = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            all.add(ColdJob.run(launcher, operations, first, seconds, progress::step));
        }
        Table table = table();
        System.out.printf(Locale.ROOT, "%-24s %10s %10s %10s %10s %10s %10s %8s %8s%n", "us", "first", "median",
            "mean", "longest", "warm", "warm mean", "median", "mean");
        for (FirstOperation operation : operations) {
            addRow(table, operation, all.stream().map(times -> times.get(operation)).toList());
        }
        run.write(System.out, List.of(table), "The first " + first + " operations of each kind, called by rank 0 one"
            + " kind after the other as soon as the job has started, and the same after " + seconds + " s of calls."
            + " Medians of " + jobs + " jobs, ratios too, beside their range; the longest of all jobs. Met are "
            + MEDIAN + " in the median and " + MEAN + " in the mean.");
        return 0;
    }

    /** The first ones cannot be faster than warm ones, so that neither ratio is one that can be won. */
    static Table table() {
        return Table.of("first operations", Column.words("operation"), Column.of("first", "us"),
            Column.of("median of the first", "us"), Column.of("mean of the first", "us"),
            Column.of("longest of the first", "us"), Column.of("warm median", "us"), Column.of("warm mean", "us"),
            Column.of("warm longest", "us"), Column.ratio("median to warm", null), Column.words("of the jobs, median"),
            Column.ratio("mean to warm", null), Column.words("of the jobs, mean"), Column.words("aim"),
            Column.words("met"));
    }

    /** The medians of all jobs, and the same for the console. */
    static void addRow(Table table, FirstOperation operation, List<ColdJob.Times> jobs) {
        double firstUs = median(jobs, times -> times.first().firstUs());
        double medianUs = median(jobs, times -> times.first().medianUs());
        double meanUs = median(jobs, times -> times.first().meanUs());
        double longestUs = longest(jobs, times -> times.first().maxUs());
        double warmUs = median(jobs, times -> times.warm().medianUs());
        double warmMeanUs = median(jobs, times -> times.warm().meanUs());
        double median = median(jobs, ColdJob.Times::medianToWarm);
        double mean = median(jobs, ColdJob.Times::meanToWarm);
        System.out.printf(Locale.ROOT, "%-24s %10.0f %10.1f %10.1f %10.0f %10.1f %10.1f %8.2f %8.2f%n", operation,
            firstUs, medianUs, meanUs, longestUs, warmUs, warmMeanUs, median, mean);
        table.row(operation, firstUs, medianUs, meanUs, longestUs, warmUs, warmMeanUs,
            longest(jobs, times -> times.warm().maxUs()), median, range(jobs, ColdJob.Times::medianToWarm), mean,
            range(jobs, ColdJob.Times::meanToWarm), "median " + MEDIAN + ", mean " + MEAN,
            MEDIAN.isMet(median) && MEAN.isMet(mean));
    }

    private static double median(List<ColdJob.Times> jobs, ToDoubleFunction<ColdJob.Times> figure) {
        return Sample.median(jobs.stream().mapToDouble(figure).toArray());
    }

    private static double longest(List<ColdJob.Times> jobs, ToDoubleFunction<ColdJob.Times> figure) {
        return jobs.stream().mapToDouble(figure).max().orElseThrow();
    }

    private static String range(List<ColdJob.Times> jobs, ToDoubleFunction<ColdJob.Times> figure) {
        return String.format(Locale.ROOT, "%.2f to %.2f", jobs.stream().mapToDouble(figure).min().orElseThrow(),
            longest(jobs, figure));
    }
}
