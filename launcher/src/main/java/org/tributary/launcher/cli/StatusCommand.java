package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.tributary.config.Shortage;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.status.JobReading;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.status.LauncherHost;
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
    description = "Prints your jobs on this machine, or on hosts; of one job the state of each rank, and what it waits"
        + " for.")
final class StatusCommand implements Callable<Integer> {
    private static final long STACK_NS = TimeUnit.SECONDS.toNanos(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private HostOptions hosts;

    @Parameters(arity = "0..1", paramLabel = "JOB", description = "The id of a job (default: all jobs).")
    private String id;

    @Option(names = "--why", description = "Say who waits for whom and why: deadlocks, collective calls that do not"
        + " match, chains of waits, and the stacks of the ranks at their ends.")
    private boolean why;

    @Option(names = "--json", description = "Print JSON for programs.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (ShownJobs shown = ShownJobs.open(hosts, settings.settings(), id)) {
            return show(shown, shown.find());
        }
    }

    private int show(ShownJobs shown, Map<String, JobView> jobs) throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        shown.problems().forEach(problem -> err.println("tributary: " + problem));
        if (shown.areOutOfReach()) {
            return ExitCodes.USAGE;
        }
        if (id != null && !jobs.containsKey(id)) {
            err.println("tributary: " + shown.unknown(id, jobs.keySet()));
            return ExitCodes.USAGE;
        }
        if (id != null) {
            jobs.keySet().retainAll(List.of(id));
        }
        List<JobReading> readings = new ArrayList<>();
        Map<String, List<String>> reports = new LinkedHashMap<>();
        for (Map.Entry<String, JobView> job : jobs.entrySet()) {
            JobReading reading = read(job.getKey(), job.getValue(), shown);
            readings.add(reading);
            if (why) {
                reports.put(reading.id(), report(new WhyReport(reading, job.getValue())));
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(StatusJson.of(readings.stream().map(reading -> reading.with(shown.problems())).toList(),
                reports));
        } else {
            text(shown, readings, reports).forEach(out::println);
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

    /** Reads the status through the view, or from the files of this machine if the launcher does not answer. */
    private static JobReading read(String job, JobView view, ShownJobs shown)
        throws IOException, InterruptedException {
        JobView here = shown.here(job).orElse(null);
        if (view == here) {
            JobReading reading = here.read();
            return reading.with(elsewhere(reading.status(), job));
        }
        try {
            return view.read();
        } catch (IOException e) {
            JobReading reading = here == null ? new JobReading(job, new JobStatus(List.of(), List.of()), List.of())
                : here.read();
            return reading.with(List.of((shown.areOnHosts() ? "" : "the launcher does not answer: ")
                + Shortage.describe(e)));
        }
    }

    /** The command that shows the nodes that are not here, if there are any. */
    private static List<String> elsewhere(JobStatus seen, String job) {
        Optional<String> launcher = seen.nodes().stream()
            .map(node -> LauncherHost.of(JobFiles.launcherFile(job, node.node())))
            .flatMap(Optional::stream).findFirst();
        if (launcher.isPresent()) {
            return List.of("'tributary status " + job + "' on " + launcher.get()
                + ", where the launcher runs, shows the nodes of all hosts");
        }
        return seen.nodes().isEmpty() || seen.nodes().size() >= seen.nodes().iterator().next().jobNodes() ? List.of()
            : List.of("'tributary status --hosts HOST,... " + job + "' shows the nodes on other hosts");
    }

    private List<String> text(ShownJobs shown, List<JobReading> readings, Map<String, List<String>> reports) {
        if (readings.isEmpty()) {
            return List.of("no jobs of yours " + shown.where());
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
