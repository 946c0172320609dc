package org.tributary.benchmarks.fabric;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.config.JobEnvironment;
import org.tributary.fabric.Fabric;
import org.tributary.fabric.FabricKind;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench channels}: rank 0 starts jobs of programs, one after the other; other ranks do nothing. */
@Command(name = "channels", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "Times whole programs whose requests go by Veloblock channels of the network adapter, against the"
        + " same programs whose requests go over connections.",
    footer = {"", "The jobs have the settings of this one (--set). A server opens as many channels as ranks of other",
        "nodes ask for, at most fabric.channels."})
public final class ChannelsBenchmark extends Benchmark {
    private static final int MAX_ROUNDS = 100;

    @Option(names = "--providers", paramLabel = "KIND", split = ",", defaultValue = "shm,tcp",
        description = "which providers, by their names: ${COMPLETION-CANDIDATES}")
    private List<FabricKind> kinds;

    @Option(names = "--channels", paramLabel = "N", split = ",", defaultValue = "0,8,32,128",
        description = "values of fabric.channels; the first is what the others are compared with")
    private List<Integer> counts;

    @Option(names = "--apps", paramLabel = "APP", split = ",", defaultValue = "fock,halo,multigrid,random-access",
        description = "programs, as of 'tributary bench mini-apps'")
    private List<String> apps;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "4", description = "nodes of the jobs")
    private int nodes;

    @Option(names = "--ranks-per-node", paramLabel = "N", defaultValue = "1", description = "ranks of each node")
    private int ranksPerNode;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3", description = "how often to run every job")
    private int rounds;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "3",
        description = "how often a job runs each program; the median counts")
    private int repeat;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new ChannelsBenchmark(), arguments);
    }

    /** Runs a job; gives the median time of each program in seconds. */
    interface Jobs {
        /** With that provider, and at most so many channels at each server. */
        Map<String, Double> run(FabricKind kind, int channels) throws IOException, InterruptedException;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || rounds > MAX_ROUNDS || repeat < 1 || nodes < 2 || ranksPerNode < 1 || counts.size() < 2) {
            throw refusal("--rounds must be between 1 and " + MAX_ROUNDS + ", --repeat and --ranks-per-node at least 1,"
                + " --nodes at least 2, and --channels have two numbers");
        }
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        if (!Fabric.load().isPresent()) {
            throw refusal("there is nothing to measure: " + Fabric.load());
        }
        for (FabricKind kind : kinds) {
            if (FabricSide.find(kind) == null) {
                throw refusal(Fabric.load() + " has no provider " + kind + " here. It has "
                    + Fabric.load().providers());
            }
        }
        LauncherCommand launcher = launcherOfThisJob();
        Run run = run(job.topology());
        System.out.println(run + "\n" + Fabric.load());
        Progress progress = Progress.of("channels", (long) rounds * kinds.size() * counts.size(), true);
        Table table = measure((kind, channels) -> ProgramJob.run(launcher, options(kind, channels), apps, repeat),
            progress, System.out);
        run.write(System.out, List.of(table), String.format(Locale.ROOT, "Jobs of %d nodes of %d ranks on this machine;"
            + " medians of %d jobs, each of which runs a program %d times and gives the median. Jobs with different"
            + " numbers of channels take turns; a ratio is the median of those of the rounds. %s.", nodes,
            ranksPerNode, rounds, repeat, Fabric.load()));
        return 0;
    }

    private List<String> options(FabricKind kind, int channels) {
        return List.of("--nodes", Integer.toString(nodes), "--ranks-per-node", Integer.toString(ranksPerNode), "--set",
            "network.fabric=" + kind, "--set", "fabric.channels=" + channels);
    }

    /** Prints a line for each row. */
    Table measure(Jobs jobs, Progress progress, PrintStream out) throws IOException, InterruptedException {
        int first = counts.getFirst();
        Table table = Table.of(null, Column.words("provider"), Column.words("program"),
            Column.of("channels", "channels"), Column.of("time", "s"),
            Column.ratio("to " + (first == 0 ? "connections" : first + " channels"), "less"));
        for (FabricKind kind : kinds) {
            Map<Integer, List<Map<String, Double>>> results = new LinkedHashMap<>();
            for (int round = 0; round < rounds; round++) {
                for (int count : counts) {
                    results.computeIfAbsent(count, none -> new ArrayList<>()).add(jobs.run(kind, count));
                    progress.step();
                }
            }
            for (String app : apps) {
                for (int count : counts) {
                    double[] seconds = times(results.get(count), app);
                    double[] base = times(results.get(first), app);
                    double[] ratios = new double[rounds];
                    for (int round = 0; round < rounds; round++) {
                        ratios[round] = seconds[round] / base[round];
                    }
                    row(table, kind, app, count, Sample.median(seconds), Sample.median(ratios), out);
                }
            }
        }
        return table;
    }

    private static double[] times(List<Map<String, Double>> jobs, String app) {
        return jobs.stream().mapToDouble(job -> job.get(app)).toArray();
    }

    private void row(Table table, FabricKind kind, String app, int count, double seconds, double ratio,
        PrintStream out) {
        out.printf(Locale.ROOT, "%-4s %-14s %3d channels %8.3f s%s%n", kind, app, count, seconds,
            count == counts.getFirst() ? "" : String.format(Locale.ROOT, ", %.2f times that of %s", ratio,
                counts.getFirst().toString()));
        table.row(kind, app, count, seconds, count == counts.getFirst() ? null : ratio);
    }
}
