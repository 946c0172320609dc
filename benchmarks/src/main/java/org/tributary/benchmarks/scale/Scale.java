package org.tributary.benchmarks.scale;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.cooperation.ServerProcess;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.config.JobEnvironment;
import org.tributary.config.ProcessLimits;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench scale}: rank 0 starts a server of its own and connects the crowd; other ranks do nothing. */
@Command(name = "scale", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "What operations, departures of ranks and memory of one server cost beside thousands of connections"
        + " that have nothing to do with them.",
    footer = {"", "operation: one fetch-and-add there and back; departure: from the goodbye of a rank until another",
        "has the mutex that it held; both are medians, after both were repeated until they did not become faster.",
        "Ratios are to the fewest of their kind, which are measured first, and at the end with a second server: the",
        "faster of the two counts."})
public final class Scale extends Benchmark {
    private static final double MIB = 1 << 20;
    private static final int SPARE_FILES = 200;
    /** Of each kind: two warm-ups, and the smallest crowd again. */
    private static final int MORE_STEPS = 3;

    @Option(names = "--ranks", split = ",", paramLabel = "N", defaultValue = "10,1000,10000",
        description = "connected ranks, each with a lock of its own, ascending")
    private List<Integer> ranks;

    @Option(names = "--slow", split = ",", paramLabel = "N", defaultValue = "0,10,1000",
        description = "connections that do not take their answers, ascending, without idle ranks")
    private List<Integer> slow;

    @Option(names = "--operations", paramLabel = "N", defaultValue = "3000", description = "timed operations")
    private int operations;

    @Option(names = "--departures", paramLabel = "N", defaultValue = "50", description = "timed departures")
    private int departures;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new Scale(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        check();
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        Run run = run(job.topology());
        System.out.println(run);
        Progress progress = Progress.of("scale", 2L * MORE_STEPS + ranks.size() + slow.size(), true);
        Table connected = report("connected ranks", measure(ranks, crowds(ranks, false), progress::step));
        run.write(System.out, List.of(connected,
            report("slow readers", measure(slow, crowds(slow, true), progress::step))), "Ratios are to the fewest of"
            + " their kind, which come first, and last with a second server: the faster of the two counts. Before,"
            + " operations and departures are repeated until they do not become faster; the server remembers ranks that"
            + " have left (left before), and those take memory, too.");
        return 0;
    }

    private void check() throws IOException {
        List<Integer> all = new ArrayList<>(ranks);
        all.addAll(slow);
        if (operations < 1 || departures < 1 || Collections.min(all) < 0) {
            throw refusal("numbers must be positive");
        }
        long needed = Collections.max(all) + (long) SPARE_FILES;
        long files = ProcessLimits.openFiles();
        if (files < needed) {
            throw refusal("this needs " + needed + " open files in a process, and"
                + " the limit is " + files + ": raise it (ulimit -n, LimitNOFILE) or take smaller --ranks and --slow");
        }
    }

    /** A crowd of one kind, and its server. */
    interface Measured extends AutoCloseable {
        /** Until nothing becomes faster. */
        void warmUp() throws IOException;

        /** So many in all. */
        void grow(int count) throws IOException;

        Crowd.Cost cost() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Starts a server without a crowd. */
    interface Crowds {
        Measured open() throws IOException;
    }

    private record OneKind(Crowd crowd, boolean areSlow) implements Measured {
        @Override
        public void warmUp() throws IOException {
            crowd.warmUp();
        }

        @Override
        public void grow(int count) throws IOException {
            if (areSlow) {
                crowd.slowDown(count);
            } else {
                crowd.connect(count);
            }
        }

        @Override
        public Crowd.Cost cost() throws IOException {
            return crowd.measure(ServerProcess.SETTLES);
        }

        @Override
        public void close() throws IOException {
            crowd.close();
        }
    }

    private Crowds crowds(List<Integer> counts, boolean areSlow) {
        return () -> new OneKind(new Crowd(Collections.max(counts), operations, departures, counts.size()), areSlow);
    }

    /** The smallest crowd comes once more at the end, with a server of its own: a crowd does not shrink. */
    static List<Crowd.Cost> measure(List<Integer> counts, Crowds crowds, Runnable step) throws IOException {
        List<Integer> sorted = counts.stream().sorted().toList();
        List<Crowd.Cost> costs = new ArrayList<>(measured(sorted, crowds, step));
        costs.addAll(measured(sorted.subList(0, 1), crowds, step));
        return costs;
    }

    private static List<Crowd.Cost> measured(List<Integer> counts, Crowds crowds, Runnable step) throws IOException {
        List<Crowd.Cost> costs = new ArrayList<>();
        try (Measured crowd = crowds.open()) {
            crowd.warmUp();
            step.run();
            for (int count : counts) {
                crowd.grow(count);
                costs.add(crowd.cost());
                step.run();
            }
        }
        return costs;
    }

    /** The last one is the smallest crowd once more. */
    static Table report(String kind, List<Crowd.Cost> costs) {
        double operationUs = Math.min(costs.getFirst().operationUs(), costs.getLast().operationUs());
        double departureUs = Math.min(costs.getFirst().departureUs(), costs.getLast().departureUs());
        Table table = Table.of(kind, Column.of("ranks", "ranks"), Column.of("slow", "connections"),
            Column.words("server"), Column.of("operation, median", "us"), Column.ratio("operation", null),
            Column.of("departure, median", "us"), Column.ratio("departure", null), Column.of("resident", "MiB"),
            Column.of("left before", "ranks"));
        System.out.printf(Locale.ROOT, "%-16s %8s %14s %7s %14s %7s %10s%n", kind, "", "operation", "ratio",
            "departure", "ratio", "memory");
        for (int i = 0; i < costs.size(); i++) {
            Crowd.Cost cost = costs.get(i);
            boolean isAgain = i == costs.size() - 1;
            System.out.printf(Locale.ROOT, "%-16s %8d %11.1f us %7.2f %11.1f us %7.2f %6.0f MiB%n",
                isAgain ? "once more" : "", cost.ranks() + cost.slow(), cost.operationUs(),
                cost.operationUs() / operationUs, cost.departureUs(), cost.departureUs() / departureUs,
                cost.residentBytes() / MIB);
            table.row(cost.ranks(), cost.slow(), isAgain ? "second" : "first", cost.operationUs(),
                cost.operationUs() / operationUs, cost.departureUs(), cost.departureUs() / departureUs,
                cost.residentBytes() / MIB, cost.left());
        }
        return table;
    }
}
