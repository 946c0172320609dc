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
import org.tributary.client.connection.ChannelTraffic;
import org.tributary.config.ConfigException;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.fabric.Fabric;
import org.tributary.fabric.FabricKind;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench channels}: rank 0 starts jobs of programs, one after the other; other ranks do nothing. */
@Command(name = "channels", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "Times whole programs whose requests go by Veloblock channels of the network adapter, against the"
        + " same programs whose requests go over connections, and counts the requests that found room in a channel.",
    footer = {"", "The jobs have the settings of this one (--set). A server opens as many channels as ranks of other",
        "nodes ask for, at most fabric.channels. The paper calls 8:fixed-top original and 8:fixed-top:16k",
        "original-reduced: each of these has 16 KiB at both ends, and one of the usual design 32 KiB at the server."})
public final class ChannelsBenchmark extends Benchmark {
    private static final int MAX_ROUNDS = 100;
    private static final double PERCENT = 100;

    @Option(names = "--providers", paramLabel = "KIND", split = ",", defaultValue = "shm,tcp",
        description = "which providers, by their names: ${COMPLETION-CANDIDATES}")
    private List<FabricKind> kinds;

    @Option(names = "--channels", paramLabel = "N[:DESIGN[:SIZE]]", split = ",",
        defaultValue = "0,8,32,128,8:fixed-top,8:fixed-top:16k",
        description = "values of fabric.channels; the first is what the others are compared with")
    private List<String> channels;

    @Option(names = "--apps", paramLabel = "APP", split = ",", defaultValue = "fock,halo,md,multigrid,random-access",
        description = "programs, as of 'tributary bench mini-apps'")
    private List<String> apps;

    @Option(names = "--job-nodes", paramLabel = "N", defaultValue = "4", description = "nodes of the jobs")
    private int nodes;

    @Option(names = "--job-ranks-per-node", paramLabel = "N", defaultValue = "1", description = "ranks of each node")
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

    /** Runs a job; says how each program went. */
    interface Jobs {
        /** With that provider and value of {@code fabric.channels}. */
        Map<String, ProgramJob.Outcome> run(FabricKind kind, String value) throws IOException, InterruptedException;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || rounds > MAX_ROUNDS || repeat < 1 || nodes < 2 || ranksPerNode < 1 || channels.size() < 2) {
            throw refusal("--rounds must be between 1 and " + MAX_ROUNDS + ", --repeat and --job-ranks-per-node at"
                + " least 1, --job-nodes at least 2, and --channels have two values");
        }
        for (String value : channels) {
            try {
                Settings.builder().set("fabric.channels=" + value).build();
            } catch (ConfigException e) {
                throw refusal("--channels: " + e.getMessage());
            }
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
        Progress progress = Progress.of("channels", (long) rounds * kinds.size() * channels.size(), true);
        Table table = measure((kind, value) -> ProgramJob.run(launcher, options(kind, value), apps, repeat),
            progress, System.out);
        run.write(System.out, List.of(table), String.format(Locale.ROOT, "Jobs of %d nodes of %d ranks on this machine;"
            + " medians of %d jobs, each of which runs a program %d times and gives the median. Jobs with different"
            + " channels take turns; a ratio is the median of those of the rounds. Hand-overs are requests that"
            + " leave together, of all runs of all rounds; one that finds room at once does not wait for the server"
            + " to take others. %s.", nodes,
            ranksPerNode, rounds, repeat, Fabric.load()));
        return 0;
    }

    private List<String> options(FabricKind kind, String value) {
        return List.of("--nodes", Integer.toString(nodes), "--ranks-per-node", Integer.toString(ranksPerNode), "--set",
            "network.fabric=" + kind, "--set", "fabric.channels=" + value);
    }

    /** Prints a line for each row. */
    Table measure(Jobs jobs, Progress progress, PrintStream out) throws IOException, InterruptedException {
        String first = channels.getFirst();
        Table table = Table.of(null, Column.words("provider"), Column.words("program"), Column.words("channels"),
            Column.of("time", "s"), Column.ratio("to " + (first.equals("0") ? "connections" : first), "less"),
            Column.of("hand-overs", null), Column.of("by channels", "%"), Column.of("with room at once", "%"));
        for (FabricKind kind : kinds) {
            Map<String, List<Map<String, ProgramJob.Outcome>>> results = new LinkedHashMap<>();
            for (int round = 0; round < rounds; round++) {
                for (String value : channels) {
                    results.computeIfAbsent(value, none -> new ArrayList<>()).add(jobs.run(kind, value));
                    progress.step();
                }
            }
            for (String app : apps) {
                double[] base = times(results.get(first), app);
                for (String value : channels) {
                    double[] seconds = times(results.get(value), app);
                    double[] ratios = new double[rounds];
                    for (int round = 0; round < rounds; round++) {
                        ratios[round] = seconds[round] / base[round];
                    }
                    ChannelTraffic traffic = results.get(value).stream().map(job -> job.get(app).traffic())
                        .reduce(ChannelTraffic.NONE, ChannelTraffic::plus);
                    row(table, List.of(kind.toString(), app, value), Sample.median(seconds), Sample.median(ratios),
                        traffic, out);
                }
            }
        }
        return table;
    }

    private static double[] times(List<Map<String, ProgramJob.Outcome>> jobs, String app) {
        return jobs.stream().mapToDouble(job -> job.get(app).seconds()).toArray();
    }

    private void row(Table table, List<String> names, double seconds, double ratio, ChannelTraffic traffic,
        PrintStream out) {
        boolean isFirst = names.getLast().equals(channels.getFirst());
        long all = traffic.handOvers();
        Double byChannel = all == 0 ? null : PERCENT * traffic.byChannel() / all;
        Double atOnce = all == 0 ? null : PERCENT * (traffic.byChannel() - traffic.waited()) / all;
        out.printf(Locale.ROOT, "%-4s %-14s channels %-16s %8.3f s%s%s%n", names.get(0), names.get(1), names.get(2),
            seconds, isFirst ? "" : String.format(Locale.ROOT, ", %.2f times that of %s", ratio, channels.getFirst()),
            all == 0 ? "" : String.format(Locale.ROOT, "; of %d hand-overs %.1f %% by channels, %.1f %% with room at"
                + " once", all, byChannel, atOnce));
        table.row(names.get(0), names.get(1), names.get(2), seconds, isFirst ? null : ratio, all == 0 ? null : all,
            byChannel, atOnce);
    }
}
