package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.tributary.config.Nearest;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.status.LocalJob;
import org.tributary.launcher.status.StatusJson;
import org.tributary.launcher.status.StatusTable;
import org.tributary.launcher.status.WhyReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at jobs from outside: a job does not notice. */
@Command(name = "status", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Prints your jobs on this machine; of one job the state of each rank, and what it waits for.")
final class StatusCommand implements Callable<Integer> {
    private static final long STACK_NS = TimeUnit.SECONDS.toNanos(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions settings;

    @Parameters(arity = "0..1", paramLabel = "JOB", description = "The id of a job (default: all jobs).")
    private String id;

    @Option(names = "--why", description = "Say who waits for whom and why: deadlocks, collective calls that do not"
        + " match, chains of waits, and the stacks of the ranks at their ends.")
    private boolean why;

    @Option(names = "--json", description = "Print JSON for programs.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Path directory = settings.settings().shmDirectory();
        Map<String, LocalJob> jobs = LocalJob.all(directory);
        if (id != null && !jobs.containsKey(id)) {
            spec.commandLine().getErr().println("tributary: no job '" + id + "' on this machine, in " + directory
                + Nearest.hint(id, jobs.keySet()) + "; 'tributary status' lists them");
            return ExitCodes.USAGE;
        }
        Collection<LocalJob> chosen = id == null ? jobs.values() : List.of(jobs.get(id));
        List<LocalJob.Reading> readings = chosen.stream().map(LocalJob::read).toList();
        Map<String, List<String>> reports = new LinkedHashMap<>();
        if (why) {
            for (LocalJob.Reading reading : readings) {
                WhyReport report = new WhyReport(reading);
                reports.put(reading.id(), Stream.concat(report.reasons().stream(), report.stacks(STACK_NS).stream())
                    .toList());
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(StatusJson.of(readings, reports));
        } else {
            text(directory, readings, reports).forEach(out::println);
        }
        out.flush();
        return 0;
    }

    private List<String> text(Path directory, List<LocalJob.Reading> readings, Map<String, List<String>> reports) {
        if (readings.isEmpty()) {
            return List.of("no jobs of yours on this machine, in " + directory);
        }
        List<String> lines = new ArrayList<>(id == null ? StatusTable.ofJobs(readings)
            : StatusTable.ofRanks(readings.getFirst()));
        reports.forEach((job, report) -> {
            lines.add("");
            lines.add("why job " + job + " is where it is:");
            report.forEach(line -> lines.add("  " + line));
        });
        return lines;
    }
}
