package org.tributary.benchmarks.observe;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.results.Run;
import org.tributary.config.JobEnvironment;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench observe}: rank 0 starts jobs, one after another; other ranks do nothing. */
@Command(name = "observe", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "What it costs to watch a job: its work with the live page and with traces, as ratios to the same"
        + " without, and the cores that the launcher uses for the page.",
    footer = {"", "Each round has four jobs of four ranks on two nodes, one after another: without, with the page and",
        "with traces in turn, and without once more. Ratios are to the mean of both jobs without, in the same round;",
        "their median counts, and where it lies by 90 % at least. An aim (--aims) is met, or not, when all of that is",
        "on one side of it. 'Without, twice' compares those two jobs: it shows what differences mean nothing. Jobs",
        "with traces also do work that is recorded and the same that is not in turns. At the end five longer jobs show",
        "what the page takes of the launcher. The jobs have the settings of this one (--set)."})
public final class ObserveBenchmark extends Benchmark {
    private static final double MAX_SECONDS = 3600;
    /** Jobs that show what the page takes of the launcher. */
    private static final int LONG_JOBS = 5;
    /** They take so many times as long as others. */
    private static final int LONGER = 8;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "0.5",
        description = "how long each job does each kind of work, after as long to warm up")
    private double seconds;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "8",
        description = "how often to measure everything; with fewer than 5, intervals are ranges, and less sure")
    private int rounds;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new ObserveBenchmark(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || !(seconds > 0 && seconds <= MAX_SECONDS)) {
            throw refusal("--rounds must be at least 1, and --seconds above 0 and at most " + (int) MAX_SECONDS
                + ", not " + rounds + " and " + seconds);
        }
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        LauncherCommand launcher = launcherOfThisJob();
        Run run = run(job.topology());
        System.out.println(run);
        Progress progress = Progress.of("observe", (long) rounds * Round.JOBS + LONG_JOBS, true);
        Rounds all = new Rounds();
        for (int i = 0; i < rounds; i++) {
            all.add(measure(launcher, i % 2 == 0, progress));
        }
        for (int i = 0; i < LONG_JOBS; i++) {
            all.addLong(measure(launcher, Watching.BY_PAGE, LONGER * seconds, progress));
        }
        run.write(System.out, all.tables(System.out), "Medians of " + rounds + " rounds, each of four jobs, one after"
            + " another: without, with the page and with traces in turn, and without once more. Each job has four ranks"
            + " on two nodes. Ratios are medians of those to the mean of both jobs without, in the same round. In turns"
            + " within a job with traces, work is recorded and not recorded. What the page takes of the launcher is of"
            + " five jobs that take " + LONGER + " times as long. Beside medians is where they lie by 90 %"
            + " at least: an aim is met, or not, when all of that is on one side of it, and otherwise neither is"
            + " shown.");
        return 0;
    }

    private Round measure(LauncherCommand launcher, boolean isPageFirst, Progress progress)
        throws IOException, InterruptedException {
        Outcome first = measure(launcher, Watching.NOT, seconds, progress);
        Map<Watching, Outcome> watched = new EnumMap<>(Watching.class);
        for (Watching watching : isPageFirst ? List.of(Watching.BY_PAGE, Watching.BY_TRACE)
            : List.of(Watching.BY_TRACE, Watching.BY_PAGE)) {
            watched.put(watching, measure(launcher, watching, seconds, progress));
        }
        return new Round(first, watched.get(Watching.BY_PAGE), watched.get(Watching.BY_TRACE),
            measure(launcher, Watching.NOT, seconds, progress));
    }

    private static Outcome measure(LauncherCommand launcher, Watching watching, double seconds, Progress progress)
        throws IOException, InterruptedException {
        Outcome outcome = WatchedJob.run(launcher, watching, seconds);
        progress.step();
        return outcome;
    }
}
