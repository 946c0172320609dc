package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.tributary.config.Nearest;
import org.tributary.config.Shortage;
import org.tributary.launcher.host.LauncherSocket;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.status.JobReading;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.status.LocalJob;
import org.tributary.launcher.status.StatusJson;
import org.tributary.launcher.status.StatusTable;
import org.tributary.launcher.status.WhyReport;
import org.tributary.wire.status.JobStatus;
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
    public Integer call() throws IOException, InterruptedException {
        Path directory = settings.settings().shmDirectory();
        Map<String, JobView> here = LocalJob.all(directory);
        Map<String, JobView> jobs = new TreeMap<>(here);
        jobs.putAll(LauncherSocket.all()); // a launcher shows all hosts of its job
        if (id != null && !jobs.containsKey(id)) {
            spec.commandLine().getErr().println("tributary: no job '" + id + "' on this machine, in " + directory
                + Nearest.hint(id, jobs.keySet()) + "; 'tributary status' lists them");
            return ExitCodes.USAGE;
        }
        if (id != null) {
            jobs.keySet().retainAll(List.of(id));
        }
        List<JobReading> readings = new ArrayList<>();
        Map<String, List<String>> reports = new LinkedHashMap<>();
        for (Map.Entry<String, JobView> job : jobs.entrySet()) {
            JobReading reading = read(job.getKey(), job.getValue(), here.get(job.getKey()));
            readings.add(reading);
            if (why) {
                reports.put(reading.id(), report(new WhyReport(reading, job.getValue())));
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

    private static List<String> report(WhyReport report) throws InterruptedException {
        List<String> lines = new ArrayList<>(report.reasons());
        try {
            lines.addAll(report.stacks(STACK_NS));
        } catch (IOException e) {
            lines.add("no stacks: " + Shortage.describe(e));
        }
        return lines;
    }

    /** What is here, if the launcher does not answer. */
    private static JobReading read(String job, JobView view, JobView here) throws IOException, InterruptedException {
        if (view == here) {
            JobReading reading = here.read();
            return reading.status().nodes().stream().map(node -> JobFiles.launcherOf(job, node.node()))
                .flatMap(Optional::stream).findFirst().map(where -> reading.with("'tributary status " + job + "' on "
                + where + ", where the launcher runs, shows the nodes of all hosts")).orElse(reading);
        }
        try {
            return view.read();
        } catch (IOException e) {
            JobReading reading = here == null ? new JobReading(job, new JobStatus(List.of(), List.of()), List.of())
                : here.read();
            return reading.with("the launcher does not answer: " + Shortage.describe(e));
        }
    }

    private List<String> text(Path directory, List<JobReading> readings, Map<String, List<String>> reports) {
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
