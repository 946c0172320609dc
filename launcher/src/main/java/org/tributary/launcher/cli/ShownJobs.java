package org.tributary.launcher.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.tributary.config.Nearest;
import org.tributary.config.Settings;
import org.tributary.launcher.host.Host;
import org.tributary.launcher.inquiry.JobsOnHosts;
import org.tributary.launcher.inquiry.LauncherSocket;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.status.LocalJob;

/**
 * The jobs that a command looks at: those on the hosts that its options or its allocation name, or else those on this
 * machine, of which a launcher here shows all hosts.
 */
final class ShownJobs implements AutoCloseable {
    private static final int MOST_NAMES = 8;

    private final Path directory;
    private final List<String> names;
    private final Optional<JobsOnHosts> onHosts;
    private Map<String, JobView> here = Map.of();

    private ShownJobs(Path directory, List<String> names, Optional<JobsOnHosts> onHosts) {
        this.directory = directory;
        this.names = names;
        this.onHosts = onHosts;
    }

    /** Starts agents where there are hosts; {@code id} is the job that is wanted, or null. */
    static ShownJobs open(HostOptions options, Settings settings, String id) throws IOException, InterruptedException {
        Map<String, String> environment = System.getenv();
        boolean needsNoAgents = id != null && LauncherSocket.all().containsKey(id);
        Optional<HostOptions.Chosen> chosen = needsNoAgents ? options.chosenByName(environment)
            : options.chosen(environment);
        if (chosen.isEmpty()) {
            return new ShownJobs(settings.shmDirectory(), List.of(), Optional.empty());
        }
        List<String> names = chosen.get().hosts().stream().map(Host::name).toList();
        return new ShownJobs(settings.shmDirectory(), names, Optional.of(JobsOnHosts.open(names, chosen.get().launch(),
            settings, Version.release(),
            LineSink.ofStandardError())));
    }

    /** Jobs that there are now, by id. */
    Map<String, JobView> find() throws IOException, InterruptedException {
        if (onHosts.isPresent()) {
            return onHosts.get().find();
        }
        here = LocalJob.all(directory);
        Map<String, JobView> jobs = new TreeMap<>(here);
        jobs.putAll(LauncherSocket.all());
        return jobs;
    }

    /** View of a job by the files of this machine; empty when {@link #find} has not found it by them. */
    Optional<JobView> here(String job) {
        return Optional.ofNullable(here.get(job));
    }

    boolean areOnHosts() {
        return onHosts.isPresent();
    }

    /** Of hosts that do not answer, one a line. */
    List<String> problems() {
        return onHosts.map(JobsOnHosts::problems).orElse(List.of());
    }

    /** Whether no host answers. */
    boolean areOutOfReach() {
        return onHosts.isPresent() && !onHosts.get().isAnyThere();
    }

    /** The end of a sentence about jobs. */
    String where() {
        String place = names.isEmpty() ? "on this machine"
            : "on " + names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "))
            + (names.size() > MOST_NAMES ? " and " + (names.size() - MOST_NAMES) + " other hosts" : "");
        return place + ", in " + directory;
    }

    String unknown(String id, Collection<String> found) {
        return "no job '" + id + "' " + where() + Nearest.hint(id, found) + "; 'tributary status"
            + (names.isEmpty() ? "'" : "' with these hosts") + " lists them";
    }

    @Override
    public void close() {
        onHosts.ifPresent(JobsOnHosts::close);
    }
}
