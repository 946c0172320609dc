package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.tributary.config.ConfigException;
import org.tributary.launcher.dashboard.Dashboard;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.status.JobView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows a job that somebody else has started: the job does not notice. */
@Command(name = "dashboard", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Shows one of your jobs on this machine, or on hosts, on a page, until the job ends. 'tributary run"
        + " --dashboard' does so from the start.")
final class DashboardCommand implements Callable<Integer> {
    private static final String PORT = "--port";
    private static final String ADDRESS = "--address";
    private static final long LOOK_MS = 1000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private HostOptions hosts;

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
        try (ShownJobs shown = ShownJobs.open(hosts, settings.settings(), id)) {
            return show(shown);
        }
    }

    private int show(ShownJobs shown) throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        Map<String, JobView> jobs = shown.find();
        shown.problems().forEach(problem -> err.println("tributary: " + problem));
        if (shown.areOutOfReach()) {
            return ExitCodes.USAGE;
        }
        String job = id != null || jobs.size() != 1 ? id : jobs.keySet().iterator().next();
        if (job == null || !jobs.containsKey(job)) {
            err.println("tributary: " + problem(shown, jobs));
            return ExitCodes.USAGE;
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Dashboard dashboard = open()) {
            dashboard.show(job, jobs.get(job));
            out.println("job " + job + ": " + dashboard.url());
            out.flush();
            while (jobs.containsKey(job) && dashboard.isServed()) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
                jobs = shown.find();
                if (shown.areOutOfReach()) {
                    shown.problems().forEach(problem -> err.println("tributary: " + problem));
                    err.println("tributary: no host tells of job " + job + " any more");
                    return ExitCodes.FAILURE;
                }
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

    private String problem(ShownJobs shown, Map<String, JobView> jobs) {
        if (id != null) {
            return shown.unknown(id, jobs.keySet());
        }
        return jobs.isEmpty() ? "no jobs of yours " + shown.where()
            : "there are " + jobs.size() + " jobs: say which of " + String.join(", ", jobs.keySet());
    }
}
