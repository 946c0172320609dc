package org.tributary.benchmarks.observe;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.job.MeasuredJob;
import org.tributary.benchmarks.measure.CpuTime;
import org.tributary.wire.shm.LockedDirectory;

/** A job that runs {@link Work}, from its start to its end. */
final class WatchedJob {
    private static final String PAGE = "dashboard: ";
    /** As launchers name the folders that they sweep away when the process that has locked them is gone. */
    private static final String TRACES = "tributary-job-observe-";
    /** Beside the work itself, which comes twice. */
    private static final long SPARE_SECONDS = 120;

    private final Map<Kind, Double> perSecond = new EnumMap<>(Kind.class);
    private final Map<Kind, Double> inTurns = new EnumMap<>(Kind.class);
    private EventReader page;
    private long beginNs;
    private CpuTime beginCpu;
    private double launcherCores = Double.NaN;

    private WatchedJob() {
    }

    /** Runs one; each kind of work takes so many seconds. */
    static Outcome run(LauncherCommand launcher, Watching watching, double seconds)
        throws IOException, InterruptedException {
        if (watching != Watching.BY_TRACE) {
            return run(launcher, watching, null, seconds);
        }
        try (LockedDirectory traces = LockedDirectory.create(Path.of(System.getProperty("java.io.tmpdir"),
            TRACES + Long.toHexString(new SecureRandom().nextLong())))) {
            return run(launcher, watching, traces.path(), seconds);
        }
    }

    private static Outcome run(LauncherCommand launcher, Watching watching, Path traces, double seconds)
        throws IOException, InterruptedException {
        WatchedJob job = new WatchedJob();
        List<String> options = new ArrayList<>(watching.options(traces));
        options.addAll(List.of("--layout", Work.LAYOUT));
        MeasuredJob.run(launcher, options, List.of(WatchedRank.class.getName(), Double.toString(seconds)),
            limitSeconds(seconds), job::take);
        if ((watching == Watching.BY_PAGE) == (job.page == null) || job.perSecond.size() < Kind.values().length
            || (watching == Watching.BY_TRACE) != job.inTurns.keySet().containsAll(Turns.KINDS)) {
            throw new IOException("the job has not said all that it should, watched " + watching);
        }
        return new Outcome(job.perSecond, job.inTurns, job.launcherCores);
    }

    private static long limitSeconds(double seconds) {
        return (long) ((2 * Kind.values().length + Turns.SHARE) * seconds) + SPARE_SECONDS;
    }

    /** A line of the launcher, or of rank 0. */
    private void take(String line, Process process) throws IOException {
        if (line.startsWith(Work.MARK)) {
            takeWord(line.substring(Work.MARK.length()), process);
        } else if (page == null && line.contains(PAGE)) {
            page = new EventReader(line.substring(line.indexOf(PAGE) + PAGE.length()).strip());
        } else {
            System.err.println(line);
        }
    }

    private void takeWord(String word, Process process) throws IOException {
        switch (word) {
            case Work.BEGIN -> {
                beginNs = System.nanoTime();
                beginCpu = CpuTime.ofProcess(process.pid());
            }
            case Work.END -> {
                launcherCores = (double) CpuTime.ofProcess(process.pid()).since(beginCpu)
                    / (System.nanoTime() - beginNs);
                if (page != null) {
                    page.check();
                }
                process.getOutputStream().close(); // it may end
            }
            default -> {
                boolean isOfTurns = word.startsWith(Turns.MARK);
                String figure = isOfTurns ? word.substring(Turns.MARK.length()) : word;
                int space = figure.indexOf(' ');
                (isOfTurns ? inTurns : perSecond).put(Kind.valueOf(figure.substring(0, space)),
                    Double.valueOf(figure.substring(space + 1)));
            }
        }
    }
}
