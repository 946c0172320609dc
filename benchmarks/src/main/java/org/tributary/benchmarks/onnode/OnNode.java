package org.tributary.benchmarks.onnode;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.Statistics;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.config.JobEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code tributary bench on-node}. Rank 0 of the job only runs JMH, which starts a JVM for each benchmark: in a
 * shared one the profile of the first would decide how the others are compiled. The other ranks have nothing to do.
 */
@Command(name = "on-node", mixinStandardHelpOptions = true, showDefaultValues = true,
    description = "Times operations on the node by JMH, in nanoseconds.")
public final class OnNode extends Benchmark {
    private static final int ITERATIONS = 3;
    private static final TimeValue ITERATION = TimeValue.seconds(1);
    /** JMH asks sun.misc.Unsafe for the layout of its own state objects, about which JDK 24 and later would warn. */
    private static final String JMH_NEEDS = "--sun-misc-unsafe-memory-access=allow";

    private static final String COPY = "LargeOperations.copy";
    /** Of times in nanoseconds, and for large operations of parts of the bandwidth of a copy. */
    private static final Map<String, Reach> AIMS = Map.of("SmallOperations.put", Reach.atMost(30),
        "SmallOperations.get", Reach.atMost(30), "SmallOperations.fetchAndAdd", Reach.atMost(40),
        "SmallOperations.lockUnlock", Reach.atMost(150), "LargeOperations.put", Reach.atLeast(0.9),
        "LargeOperations.get", Reach.atLeast(0.9), "LargeOperations.accumulate", Reach.atLeast(0.4));

    @Option(names = "--include", paramLabel = "REGEX", defaultValue = "SmallOperations|LargeOperations",
        description = "which benchmarks to run")
    private String include;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new OnNode(), arguments);
    }

    @Override
    public Integer call() throws RunnerException, IOException {
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        Run run = run(job.topology());
        ChainedOptionsBuilder options = new OptionsBuilder()
            .include(include)
            .forks(1)
            .warmupIterations(ITERATIONS).warmupTime(ITERATION)
            .measurementIterations(ITERATIONS).measurementTime(ITERATION)
            .jvmArgsAppend(JMH_NEEDS)
            .shouldFailOnError(true);
        Table table = Table.of(null, Column.words("operation"), Column.of("median", "ns"), Column.of("mean", "ns"),
            Column.of("longest", "ns"), Column.ratio("of the copy", null), Column.words("aim"), Column.words("met"));
        Map<String, Statistics> results = new TreeMap<>();
        new Runner(options.build()).run().forEach(result -> results.put(result.getParams().getBenchmark()
            .replaceFirst(".*\\.(?=.*\\.)", ""), result.getPrimaryResult().getStatistics()));
        results.forEach((name, ns) -> {
            Statistics copy = name.startsWith("Small") ? null
                : results.get(COPY + (name.endsWith("get") ? "FromShared" : "ToShared"));
            double ofCopy = copy == null ? Double.NaN : median(copy) / median(ns);
            Reach aim = AIMS.get(name);
            table.row(name, median(ns), ns.getMean(), ns.getMax(), name.startsWith(COPY) ? null : ofCopy, aim,
                aim == null ? null : aim.isMet(name.startsWith("Small") ? median(ns) : ofCopy));
        });
        run.write(System.out, List.of(table), "Of " + ITERATIONS + " iterations of a second each, by JMH, after as"
            + " many to warm up.");
        return 0;
    }

    private static double median(Statistics ns) {
        return ns.getPercentile(50);
    }
}
