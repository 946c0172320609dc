package org.tributary.benchmarks.loops;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.job.JvmJob;
import org.tributary.benchmarks.measure.CpuTime;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.measure.Stopwatch;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench server-threads}. */
@Command(name = "server-threads", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "What an operation of 8 bytes on another node costs when the server has several event loops, as a"
        + " ratio to the same with one.",
    footer = {"", "Rank 0 has two jobs in its process, one of which has servers with several event loops; other ranks",
        "do nothing. Each job has as many ranks on one node as there are loops, and a target on the other; only one",
        "rank works at a time. Both jobs do so in turn, and change places each round. Loop main: the connection is of",
        "the main event loop, where ranks wait for locks; other: of another one. Medians and means are medians of all",
        "rounds, ratios medians of theirs, longest times of all. The aim that --aims shows is met, or not, when all",
        "ratios of medians but the smallest and the largest say so."})
public final class ServerThreadsBenchmark extends Benchmark {
    private static final int MOST = 64;
    private static final int MAX_ROUNDS = 1000;
    private static final int MAX_ITERATIONS = 1_000_000;
    /** As Linux shows the names of event loops that only move data. */
    private static final String OTHER_LOOPS = "tributary-data-";
    private static final String MAIN_LOOPS = "tributary-serve";
    private static final int PROBES = 2_000;
    private static final long BYTES = MOST * Long.BYTES;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "2", description = "event loops of a server")
    private int threads;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5", description = "how often to measure everything")
    private int rounds;

    @Option(names = "--iterations", paramLabel = "N", defaultValue = "5000",
        description = "timed operations of a rank in a round")
    private int iterations;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new ServerThreadsBenchmark(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        if (threads < 2 || threads > MOST || rounds < 1 || rounds > MAX_ROUNDS || iterations < 1
            || iterations > MAX_ITERATIONS) {
            throw refusal("--threads must be between 2 and " + MOST + ", --rounds between 1 and " + MAX_ROUNDS
                + ", and --iterations between 1 and " + MAX_ITERATIONS + ", not " + threads + ", " + rounds + " and "
                + iterations);
        }
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        Run run = run(job.topology());
        System.out.println(run);
        Table table = measure(threads, rounds, new Effort(iterations, iterations),
            Progress.of("server-threads", (long) Op.values().length * rounds * threads, true));
        run.write(System.out, List.of(table), "Pairs of one rank with one loop and with " + threads + ", in turn, "
            + rounds + " rounds of " + iterations + " operations of each of " + threads + " ranks. Medians and means"
            + " are medians of all rounds, ratios medians of theirs, longest times of all rounds.");
        return 0;
    }

    /** Prints a line for each operation and loop, too. */
    static Table measure(int threads, int rounds, Effort effort, Progress progress) throws IOException {
        Table table = Table.of(null, Column.words("operation"), Column.words("loop"),
            Column.of("one, median", "us"), Column.of("one, mean", "us"), Column.of("one, longest", "us"),
            Column.of("several, median", "us"), Column.of("several, mean", "us"), Column.of("several, longest", "us"),
            Column.ratio("medians", "less"), Column.ratio("means", "less"), Column.words("medians of the rounds"),
            Column.words("aim"), Column.words("met"));
        System.out.printf("%-38s %-6s %29s %29s %7s %7s%n", "operation", "loop", "one: median, mean, longest",
            threads + " loops, in us", "medians", "means");
        try (Callers one = new Callers(start(threads, 1)); Callers several = new Callers(start(threads, threads))) {
            List<String> loops = new ArrayList<>();
            for (int rank = 0; rank < threads; rank++) {
                loops.add(loopOf(several.rank(rank), threads));
            }
            for (Op op : Op.values()) {
                Map<String, Price> prices = new LinkedHashMap<>();
                time(op, one.rank(0), threads, effort); // compiles what all share
                time(op, several.rank(0), threads, effort);
                for (int pair = 0; pair < rounds * threads; pair++) {
                    int rank = pair % threads;
                    boolean isOneFirst = pair / threads % 2 == 0;
                    Sample before = time(op, (isOneFirst ? one : several).rank(rank), threads, effort);
                    Sample after = time(op, (isOneFirst ? several : one).rank(rank), threads, effort);
                    prices.computeIfAbsent(loops.get(rank), loop -> new Price(op, loop))
                        .add(isOneFirst ? before : after, isOneFirst ? after : before);
                    progress.step();
                }
                prices.values().forEach(price -> System.out.print(price.addTo(table)));
            }
        }
        return table;
    }

    private static JvmJob start(int ranks, int loops) throws IOException {
        return new JvmJob(Topology.parse(ranks + ",1"), Settings.builder().set("server.bind-address=127.0.0.1")
            .set("job.on-failure=throw").set("server.threads=" + loops).build(), BYTES);
    }

    private static Sample time(Op op, Caller rank, int target, Effort effort) throws IOException {
        return new Stopwatch().measure(op.of(rank, target), effort);
    }

    /** Of its connection to the target: the threads that work more while the rank uses it. */
    private static String loopOf(Caller rank, int target) throws IOException {
        long self = ProcessHandle.current().pid();
        CpuTime main = CpuTime.ofThreads(self, MAIN_LOOPS);
        CpuTime other = CpuTime.ofThreads(self, OTHER_LOOPS);
        for (int i = 0; i < PROBES; i++) {
            rank.memory().fetchAndAdd(target, 0, 0);
        }
        return CpuTime.ofThreads(self, OTHER_LOOPS).since(other) > CpuTime.ofThreads(self, MAIN_LOOPS).since(main)
            ? "other" : "main";
    }
}
