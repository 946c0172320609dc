package org.tributary.benchmarks.observe;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.measure.CpuTime;
import org.tributary.wire.shm.LockedDirectory;

/** A job that runs {@link Work}, from its start to its end. */
final class WatchedJob {
    private static final String PAGE = "dashboard: ";
    /** As launchers name the folders that they sweep away when the process that has locked them is gone. */
    private static final String TRACES = "tributary-job-observe-";
    /** Beside the work itself, which comes twice. */
    private static final long SPARE_SECONDS = 120;
    private static final long END_SECONDS = 30;

    private final Process process;
    private final Map<Kind, Double> perSecond = new EnumMap<>(Kind.class);
    private EventReader page;
    private long beginNs;
    private long beginCpuNs;
    private double launcherCores = Double.NaN;

    private WatchedJob(Process process) {
        this.process = process;
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
        return run(launcher, arguments(watching.options(traces), seconds), watching == Watching.BY_PAGE,
            limitSeconds(seconds) + END_SECONDS);
    }

    private static List<String> arguments(List<String> watching, double seconds) {
        List<String> arguments = new ArrayList<>(watching);
        arguments.addAll(List.of("--layout", Work.LAYOUT, "--output", "plain", "--timeout",
            limitSeconds(seconds) + "s", Work.class.getName(), Double.toString(seconds)));
        return arguments;
    }

    private static long limitSeconds(double seconds) {
        return (long) (2 * Kind.values().length * seconds) + SPARE_SECONDS;
    }

    private static Outcome run(LauncherCommand launcher, List<String> arguments, boolean isPage, long limitSeconds)
        throws IOException, InterruptedException {
        ProcessBuilder builder = launcher.run(arguments).redirectErrorStream(true);
        Process process = builder.start();
        // The launcher ends a job that takes too long; this is for a launcher that does not.
        process.onExit().orTimeout(limitSeconds, TimeUnit.SECONDS).exceptionally(late -> process.destroyForcibly());
        WatchedJob job = new WatchedJob(process);
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                job.take(line);
            }
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("exit code " + (process.isAlive() ? "missing" : process.exitValue()) + " of "
                    + builder.command());
            }
        } finally {
            process.destroy();
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        }
        if (isPage == (job.page == null) || job.perSecond.size() < Kind.values().length) {
            throw new IOException("the job has not said all that it should: " + builder.command());
        }
        return new Outcome(job.perSecond, job.launcherCores);
    }

    /** A line of the launcher, or of rank 0. */
    private void take(String line) throws IOException {
        if (line.startsWith(Work.MARK)) {
            takeWord(line.substring(Work.MARK.length()));
        } else if (page == null && line.contains(PAGE)) {
            page = new EventReader(line.substring(line.indexOf(PAGE) + PAGE.length()).strip());
        } else {
            System.err.println(line);
        }
    }

    private void takeWord(String word) throws IOException {
        switch (word) {
            case Work.BEGIN -> {
                beginNs = System.nanoTime();
                beginCpuNs = CpuTime.ofProcess(process.pid());
            }
            case Work.END -> {
                launcherCores = (double) (CpuTime.ofProcess(process.pid()) - beginCpuNs)
                    / (System.nanoTime() - beginNs);
                if (page != null) {
                    page.check();
                }
                process.getOutputStream().close(); // it may end
            }
            default -> {
                int space = word.indexOf(' ');
                perSecond.put(Kind.valueOf(word.substring(0, space)), Double.valueOf(word.substring(space + 1)));
            }
        }
    }
}
