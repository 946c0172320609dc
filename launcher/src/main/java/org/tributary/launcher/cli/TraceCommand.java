package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tributary.config.ConfigException;
import org.tributary.config.Nearest;
import org.tributary.config.Shortage;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.WorkProgress;
import org.tributary.launcher.trace.TraceFolder;
import org.tributary.launcher.trace.TraceReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads what ranks have recorded with {@code --trace}. */
@Command(name = "trace", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Prints a summary of what the ranks of a job have recorded with 'run --trace DIR': time by operation,"
        + " waits by cause, and how evenly the ranks were busy. Writes a file for https://ui.perfetto.dev and"
        + " chrome://tracing.",
    footer = {"", "The exit code is 1 when a file is damaged, 2 when there is nothing to read."})
final class TraceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The folder that the job was given with --trace.")
    private Path folder;

    @Option(names = "--job", paramLabel = "JOB", description = "The job, if the folder has traces of several.")
    private String job;

    @Option(names = "--out", paramLabel = "FILE", description = "The file to write (default: JOB.json in DIR).")
    private Path out;

    @Override
    public Integer call() {
        Map<String, List<Path>> jobs = jobs();
        String chosen = choose(jobs);
        Path json = out == null ? folder.resolve(chosen + ".json") : out;
        TraceReport report = make(chosen, jobs.get(chosen), json);
        PrintWriter err = spec.commandLine().getErr();
        report.problems().forEach(problem -> err.println("tributary: " + problem));
        if (report.lines().isEmpty()) {
            return ExitCodes.USAGE;
        }
        PrintWriter print = spec.commandLine().getOut();
        report.lines().forEach(print::println);
        print.println();
        print.println("written: " + json + ", to be opened at https://ui.perfetto.dev or chrome://tracing");
        print.flush();
        return report.problems().isEmpty() ? 0 : ExitCodes.FAILURE;
    }

    private Map<String, List<Path>> jobs() {
        if (!Files.isDirectory(folder)) {
            throw new ConfigException("no folder " + folder + ": name that of 'tributary run --trace'");
        }
        try {
            return TraceFolder.jobs(folder);
        } catch (IOException e) {
            throw new ConfigException("cannot read " + folder + ": " + Shortage.describe(e, folder));
        }
    }

    private String choose(Map<String, List<Path>> jobs) {
        if (jobs.isEmpty()) {
            throw new ConfigException("no traces in " + folder + ": ranks write them with 'tributary run --trace "
                + folder + "', each host in its own file system");
        }
        if (job == null && jobs.size() > 1) {
            throw new ConfigException("traces of " + jobs.size() + " jobs are in " + folder + ": say with --job which,"
                + " of " + String.join(", ", jobs.keySet()));
        }
        if (job != null && !jobs.containsKey(job)) {
            throw new ConfigException("no traces of job '" + job + "' in " + folder
                + Nearest.hint(job, jobs.keySet()));
        }
        return job == null ? jobs.keySet().iterator().next() : job;
    }

    private static TraceReport make(String job, List<Path> files, Path json) {
        WorkProgress progress = new WorkProgress(
            LineSink.ofStandardError(), System.nanoTime());
        try {
            return TraceReport.make(job, files, json, done -> progress.at(System.nanoTime(),
                "reading traces: " + done + " of " + files.size() + " ranks", done, files.size()));
        } catch (IOException e) {
            throw new ConfigException("cannot write " + json + ": " + Shortage.describe(e, json));
        } finally {
            progress.over();
        }
    }
}
