package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.tributary.config.ConfigException;
import org.tributary.config.Nearest;
import org.tributary.launcher.dashboard.Dashboard;
import org.tributary.launcher.host.LauncherSocket;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.status.LocalJob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows a job that somebody else has started: the job does not notice. */
@Command(name = "dashboard", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Shows one of your jobs on this machine on a page, until the job ends. 'tributary run --dashboard'"
        + " does so from the start.")
final class DashboardCommand implements Callable<Integer> {
    private static final String PORT = "--port";
    private static final String ADDRESS = "--address";
    private static final long LOOK_MS = 1000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions settings;

    @Parameters(arity = "0..1", paramLabel = "JOB", description = "The id of the job, as 'tributary status' prints it"
        + " (default: the only one).")
    private String id;

    @Option(names = PORT, paramLabel = "PORT", defaultValue = "0",
        description = "Where the page is served (default: any free port).")
    private int port;

    @Option(names = ADDRESS, paramLabel = "ADDRESS", defaultValue = "127.0.0.1",
        description = "The address of the page (default: ${DEFAULT-VALUE}). Everybody who can reach it and knows its"
            + " token can look at the job.")
    private String address;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path directory = settings.settings().shmDirectory();
        Map<String, JobView> jobs = jobs(directory);
        String job = id != null || jobs.size() != 1 ? id : jobs.keySet().iterator().next();
        if (job == null || !jobs.containsKey(job)) {
            spec.commandLine().getErr().println("tributary: " + problem(directory, jobs));
            return ExitCodes.USAGE;
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Dashboard dashboard = open()) {
            dashboard.show(job, jobs.get(job));
            out.println("job " + job + ": " + dashboard.url());
            out.flush();
            while (jobs.containsKey(job) && dashboard.isServed()) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
                jobs = jobs(directory);
            }
        }
        out.println("job " + job + " has ended");
        out.flush();
        return 0;
    }

    private Dashboard open() {
        try {
            return DashboardOptions.open(address, ADDRESS, port, PORT);
        } catch (IOException e) {
            throw new ConfigException(e.getMessage());
        }
    }

    /** A launcher here shows all hosts of its job. */
    private static Map<String, JobView> jobs(Path directory) throws IOException {
        Map<String, JobView> jobs = LocalJob.all(directory);
        jobs.putAll(LauncherSocket.all());
        return jobs;
    }

    private String problem(Path directory, Map<String, JobView> jobs) {
        if (id != null) {
            return "no job '" + id + "' on this machine, in " + directory + Nearest.hint(id, jobs.keySet())
                + "; 'tributary status' lists them";
        }
        return jobs.isEmpty() ? "no jobs of yours on this machine, in " + directory
            : "there are " + jobs.size() + " jobs: say which of " + String.join(", ", jobs.keySet());
    }
}
