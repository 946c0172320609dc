package org.tributary.benchmarks.start;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.config.JobEnvironment;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench start}: rank 0 starts launchers, one after the other; other ranks do nothing. */
@Command(name = "start", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "How long a job of many nodes takes that runs 'true', and how much memory its launcher needs.",
    footer = {"", "Nodes are on this machine, where some share a server process; with --agents each has an agent and a",
        "server of its own, as on hosts, and all of them share this machine's cores. The jobs have the settings of",
        "this one (--set)."})
public final class StartBenchmark extends Benchmark {
    private static final double MS_PER_NODE = 50;
    private static final double TIMES_ONE = 3;
    private static final double MOST_MIB = 256;
    private static final double KIB_PER_MIB = 1024;
    private static final double NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Reach AIM = Reach.atMost(1);

    @Option(names = "--counts", split = ",", paramLabel = "N", defaultValue = "1,8,64",
        description = "nodes, ascending")
    private List<Integer> counts;

    @Option(names = "--agents", split = ",", paramLabel = "N",
        description = "nodes with an agent each, ascending; only root can give them names (default: none)")
    private List<Integer> agents = List.of();

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "3",
        description = "jobs of each kind; the median counts, and the largest memory")
    private int repeat;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new StartBenchmark(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Integer> all = new ArrayList<>(counts);
        all.addAll(agents);
        if (repeat < 1 || all.stream().anyMatch(count -> count < 1)) {
            throw refusal("numbers must be positive");
        }
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        Launcher launcher = new Launcher(launcherOfThisJob());
        Run run = run(job.topology());
        System.out.println(run);
        Progress progress = Progress.of("start", (long) all.size() * repeat, true);
        List<Table> tables = new ArrayList<>();
        tables.add(measure("nodes of this machine", counts, launcher::ofNodes, progress, System.out));
        if (!agents.isEmpty()) {
            tables.add(measure("nodes with agents", agents, launcher::ofAgents, progress, System.out));
        }
        run.write(System.out, tables, "Medians of " + repeat + " jobs that run 'true', from the start of the launcher"
            + " to its end; peak resident set of the launcher. The limit is three times the first line and 50 ms a"
            + " node; the first line itself has none.");
        return 0;
    }

    /** Runs a job of that size. */
    interface Jobs {
        Launcher.Cost of(int count) throws IOException, InterruptedException;
    }

    /**
     * Prints what users ask for; limits and ratios are in the table. The first size has no limit: its own time makes
     * it, and would always meet it.
     */
    Table measure(String kind, List<Integer> sizes, Jobs jobs, Progress progress, PrintStream out)
        throws IOException, InterruptedException {
        Table table = Table.of(kind, Column.of("nodes", "nodes"), Column.of("time", "ms"), Column.of("limit", "ms"),
            Column.ratio("time to limit", "less"), Column.of("launcher", "MiB"),
            Column.ratio("memory to " + (int) MOST_MIB + " MiB", "less"), Column.words("aim"), Column.words("met"));
        out.printf(Locale.ROOT, "%-22s %8s %12s %14s%n", kind, "nodes", "time", "launcher");
        double oneMs = 0;
        for (int size : sizes) {
            List<Launcher.Cost> costs = new ArrayList<>();
            for (int i = 0; i < repeat; i++) {
                costs.add(jobs.of(size));
                progress.step();
            }
            double ms = Sample.median(costs.stream().mapToDouble(Launcher.Cost::elapsedNs).toArray()) / NS_PER_MS;
            double mib = costs.stream().mapToLong(Launcher.Cost::peakKib).max().orElseThrow() / KIB_PER_MIB;
            out.printf(Locale.ROOT, "%-22s %8d %9.0f ms %10.0f MiB%n", "", size, ms, mib);
            boolean isFirst = oneMs == 0;
            oneMs = isFirst ? ms : oneMs;
            double limitMs = isFirst ? Double.NaN : TIMES_ONE * oneMs + MS_PER_NODE * size;
            table.row(size, ms, limitMs, ms / limitMs, mib, mib / MOST_MIB,
                (isFirst ? "ratio of memory " : "both ratios ") + AIM,
                (isFirst || AIM.isMet(ms / limitMs)) && AIM.isMet(mib / MOST_MIB));
        }
        return table;
    }
}
