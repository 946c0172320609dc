package org.tributary.benchmarks.onesided;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.measure.Sizes;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench one-sided}. */
@Command(name = "one-sided", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "Times one-sided operations of rank 0 and compares them with what the machine can do at all.",
    footer = {"", "Operations on path 'remote' go to the first rank of the next node; on path 'node' to the second",
        "rank of the first node, or to rank 0's own memory when that node has one rank only.",
        "An iteration of put-rate, aggregate-put-rate and put-bandwidth is a window of 64 operations.",
        "Ratios: a median time divided by the limit's, or a bandwidth by all the time divided by the limit's. Limits",
        "are measured before and after each repetition, and the best counts."})
public final class OneSided extends Benchmark {
    private static final int MAX_ITERATIONS = 1_000_000;

    @Option(names = "--ops", split = ",", paramLabel = "OP", converter = Op.Converter.class,
        description = "what to measure (default: all): put+fence, get, accumulate+fence, fetchAndAdd, lock+unlock,"
            + " strided-put+fence, strided-get, put-rate, aggregate-put-rate, put-bandwidth")
    private List<Op> ops = List.of(Op.values());

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", converter = Sizes.class,
        defaultValue = "8,64,512,4K,32K,256K,4M", description = "sizes of contiguous operations")
    private List<Long> sizes;

    @Option(names = "--paths", split = ",", paramLabel = "PATH",
        description = "node, remote (default: those that the job has)")
    private List<Route> routes;

    @Option(names = "--targets", split = ",", paramLabel = "STATE", defaultValue = "blocked,computing",
        description = "what the target does meanwhile: blocked in a barrier, computing")
    private List<TargetState> states;

    @Option(names = "--iterations", paramLabel = "N", defaultValue = "10000",
        description = "timed iterations up to 8 KiB; a tenth above, a fiftieth from 1 MiB on")
    private int iterations;

    @Option(names = "--rows", paramLabel = "N", defaultValue = "64", description = "rows of strided operations")
    private int rows;

    @Option(names = "--row-bytes", paramLabel = "BYTES", converter = Sizes.class, defaultValue = "512",
        description = "length of a row")
    private long rowBytes;

    @Option(names = "--pitch", paramLabel = "BYTES", converter = Sizes.class, defaultValue = "1K",
        description = "distance between the beginnings of rows, at both ends")
    private long pitch;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1",
        description = "runs everything so often and reports, for each result, the run with the median time, and the"
            + " longest time of all runs")
    private int repeat;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new OneSided(), arguments);
    }

    @Override
    public Integer call() throws IOException, TimeoutException {
        Settings settings = Settings.builder().environment(System.getenv()).build();
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        Workload workload = workload(job.topology());
        List<Case> plan = plan(workload, job.topology());
        Report report = job.rank() == Route.ORIGIN
            ? new Report(System.out, run(job.topology()))
            : null;
        try (Gas gas = Gas.attach(job, settings); Suite suite = new Suite(gas, job, workload, plan)) {
            if (report == null) {
                takePart(suite);
            } else {
                lead(suite, report);
            }
        }
        return 0;
    }

    private void takePart(Suite suite) throws IOException, TimeoutException {
        for (int i = 0; i < repeat; i++) {
            suite.measureLimits();
            suite.run(null, null);
        }
        suite.measureLimits();
    }

    private void lead(Suite suite, Report report) throws IOException, TimeoutException {
        Repetitions repetitions = new Repetitions();
        for (int i = 1; i <= repeat; i++) {
            report.begin(i, repeat);
            repetitions.add(suite.measureLimits());
            report.limits(repetitions.limits());
            repetitions.add(suite.run(repetitions.limits(), report));
        }
        report.keep(repetitions.limits(), repetitions.results());
        repetitions.add(suite.measureLimits());
        report.summary(repetitions.limits(), repetitions.results(), repeat);
        report.write(repetitions.limits(), repetitions.results());
    }

    private Workload workload(Topology topology) {
        if (iterations < 1 || iterations > MAX_ITERATIONS || repeat < 1) {
            throw refusal("--iterations must be between 1 and " + MAX_ITERATIONS
                + " and --repeat at least 1, not " + iterations + " and " + repeat);
        }
        List<Route> available = Stream.of(Route.values()).filter(route -> route.target(topology).isPresent()).toList();
        try {
            return new Workload(ops, sizes, routes == null ? available : routes, states, iterations,
                new Rows(rows, rowBytes, pitch));
        } catch (ConfigException e) {
            throw refusal("--rows, --row-bytes, --pitch: " + e.getMessage());
        }
    }

    private List<Case> plan(Workload workload, Topology topology) {
        try {
            return Plan.of(workload, topology);
        } catch (ConfigException e) {
            throw refusal("--paths: " + e.getMessage());
        }
    }
}
