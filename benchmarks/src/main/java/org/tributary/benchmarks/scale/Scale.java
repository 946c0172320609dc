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
        "has the mutex that it held; both are medians. Ratios are to the first line of their kind."})
public final class Scale extends Benchmark {
    private static final double MIB = 1 << 20;
    private static final int SPARE_FILES = 200;
    private static final int WARM_UPS = 3;

    @Option(names = "--ranks", split = ",", paramLabel = "N", defaultValue = "10,1000,10000",
        description = "connected ranks, each with a lock of its own, ascending")
    private List<Integer> ranks;

    @Option(names = "--slow", split = ",", paramLabel = "N", defaultValue = "10,1000",
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
        Progress progress = Progress.of("scale", 2L * WARM_UPS + ranks.size() + slow.size(), true);
        Table connected = report("connected ranks", measure(ranks, false, progress));
        run.write(System.out, List.of(connected, report("slow readers", measure(slow, true, progress))),
            "Ratios are to the first line of their kind.");
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

    private List<Crowd.Cost> measure(List<Integer> counts, boolean areSlow, Progress progress) throws IOException {
        List<Crowd.Cost> costs = new ArrayList<>();
        int most = Collections.max(counts);
        try (Crowd crowd = new Crowd(most, operations, departures, counts.size() + WARM_UPS)) {
            for (int i = 0; i < WARM_UPS; i++) {
                crowd.measure(ServerProcess.SETTLES);
                progress.step();
            }
            for (int count : counts.stream().sorted().toList()) {
                if (areSlow) {
                    crowd.slowDown(count);
                } else {
                    crowd.connect(count);
                }
                costs.add(crowd.measure(ServerProcess.SETTLES));
                progress.step();
            }
        }
        return costs;
    }

    private static Table report(String kind, List<Crowd.Cost> costs) {
        Crowd.Cost first = costs.getFirst();
        Table table = Table.of(kind, Column.of("ranks", "ranks"), Column.of("slow", "connections"),
            Column.of("operation, median", "us"), Column.ratio("operation", null), Column.of("departure, median", "us"),
            Column.ratio("departure", null), Column.of("resident", "MiB"));
        System.out.printf(Locale.ROOT, "%-16s %8s %14s %7s %14s %7s %10s%n", kind, "", "operation", "ratio",
            "departure", "ratio", "memory");
        for (Crowd.Cost cost : costs) {
            System.out.printf(Locale.ROOT, "%-16s %8d %11.1f us %7.2f %11.1f us %7.2f %6.0f MiB%n", "",
                cost.ranks() + cost.slow(), cost.operationUs(), cost.operationUs() / first.operationUs(),
                cost.departureUs(), cost.departureUs() / first.departureUs(), cost.residentBytes() / MIB);
            table.row(cost.ranks(), cost.slow(), cost.operationUs(), cost.operationUs() / first.operationUs(),
                cost.departureUs(), cost.departureUs() / first.departureUs(), cost.residentBytes() / MIB);
        }
        return table;
    }
}
