package org.tributary.benchmarks.onnode;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.Statistics;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.JsonOption;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.config.JobEnvironment;
import org.tributary.miniapps.CommandLines;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code tributary bench on-node}. Rank 0 of the job only runs JMH, which starts a JVM for each benchmark: in a
 * shared one the profile of the first would decide how the others are compiled. The other ranks have nothing to do.
 */
@Command(name = "on-node", mixinStandardHelpOptions = true, showDefaultValues = true,
    description = "Times operations on the node by JMH, in nanoseconds.")
public final class OnNode implements Callable<Integer> {
    private static final int ITERATIONS = 3;
    private static final TimeValue ITERATION = TimeValue.seconds(1);
    /** JMH asks sun.misc.Unsafe for the layout of its own state objects, about which JDK 24 and later would warn. */
    private static final String JMH_NEEDS = "--sun-misc-unsafe-memory-access=allow";

    @Option(names = "--include", paramLabel = "REGEX", defaultValue = "SmallOperations|LargeOperations",
        description = "which benchmarks to run")
    private String include;

    @Mixin
    private JsonOption json;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        System.exit(CommandLines.of(new OnNode()).execute(arguments));
    }

    @Override
    public Integer call() throws RunnerException, IOException {
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        Run run = json.run(job.topology());
        ChainedOptionsBuilder options = new OptionsBuilder()
            .include(include)
            .forks(1)
            .warmupIterations(ITERATIONS).warmupTime(ITERATION)
            .measurementIterations(ITERATIONS).measurementTime(ITERATION)
            .jvmArgsAppend(JMH_NEEDS)
            .shouldFailOnError(true);
        Table table = Table.of(null, Column.words("operation"), Column.of("median", "ns"), Column.of("mean", "ns"),
            Column.of("longest", "ns"));
        for (RunResult result : new Runner(options.build()).run()) {
            Statistics ns = result.getPrimaryResult().getStatistics();
            table.row(result.getParams().getBenchmark().replaceFirst(".*\\.(?=.*\\.)", ""), ns.getPercentile(50),
                ns.getMean(), ns.getMax());
        }
        run.write(System.out, List.of(table), "Of " + ITERATIONS + " iterations of a second each, by JMH, after as"
            + " many to warm up.");
        return 0;
    }
}
