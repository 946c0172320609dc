package org.tributary.launcher.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.tributary.config.ConfigException;
import org.tributary.launcher.bind.BindPolicy;
import org.tributary.launcher.dashboard.Dashboard;
import org.tributary.launcher.host.AgentNodes;
import org.tributary.launcher.host.HostList;
import org.tributary.launcher.host.HostTraces;
import org.tributary.launcher.job.Job;
import org.tributary.launcher.job.JobNodes;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.LastResort;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.LocalNodes;
import org.tributary.launcher.job.NodeShare;
import org.tributary.launcher.job.StandardInput;
import org.tributary.launcher.node.ServerPorts;
import org.tributary.wire.Deadline;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.NodeDirectory;

/** Runs a checked plan in this process: signals go to the job, and stale directories are swept before and after it. */
final class JobRunner {
    private static final int RADIX = 36;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    private JobRunner() {
    }

    /**
     * On hosts, if there are any, and with a page that shows the job if one is wanted. A job that has lost a rank, a
     * server or a host is started anew.
     *
     * @param restarts how often at most
     */
    static int run(JobPlan plan, JobOptions.JobPlace place, int restarts) throws IOException, InterruptedException {
        LastResort.install("tributary");
        Launcher launcher = Launcher.begin(StandardInput.ofThisProcess(), new FileOutputStream(FileDescriptor.out));
        for (int done = 0;; done++) {
            Ended ended = runOnce(plan, place, launcher);
            boolean isTimeUp = plan.timeoutNs() > 0 && System.nanoTime() - launcher.startNs >= plan.timeoutNs();
            if (!ended.hasLost || done == restarts || launcher.signals.endSignal() != 0 || isTimeUp) {
                return launcher.end(ended);
            }
            launcher.err.say("starting the job anew: restart " + (done + 1) + " of " + restarts + " (--restarts)");
        }
    }

    private static Ended runOnce(JobPlan plan, JobOptions.JobPlace place, Launcher launcher)
        throws IOException, InterruptedException {
        Page page = page(plan, place);
        try {
            page.dashboard.ifPresent(shown -> launcher.err.say("dashboard: " + shown.url()));
            return place.hosts().isPresent()
                ? runOn(place, plan, page, launcher)
                : run(plan, place.bind(), page.dashboard, launcher);
        } finally {
            page.dashboard.ifPresent(Dashboard::close);
        }
    }

    /** Parts of this process that one job after the other uses: when it began, its signals, input and output. */
    private record Launcher(long startNs, JobSignals signals, StandardInput input, OutputStream output, LineSink err) {
        static Launcher begin(StandardInput input, OutputStream output) {
            return new Launcher(System.nanoTime(), JobSignals.receive(), input, output,
                LineSink.ofStandardError().keep());
        }

        /** Returns the exit code when the reader of its messages has them; any signal so far, or later, limits that. */
        int end(Ended job) throws InterruptedException {
            Deadline patience = Deadline.in(PATIENCE_NS);
            err.awaitSaid(() -> signals.endSignal() != 0 && patience.isOver());
            return job.exitCode;
        }
    }

    /** How a job has ended. */
    private record Ended(int exitCode, boolean hasLost) {
    }

    /** On hosts, where a page cannot be served is one problem more, which their report has. */
    private static Page page(JobPlan plan, JobOptions.JobPlace place) {
        Page page = open(place);
        if (place.hosts().isPresent()) {
            return page;
        }
        List<String> problems = Stream.of(place.traceProblem().map(problem -> Job.THIS_MACHINE + " " + problem)
            .stream(), page.problem.stream(), LocalNodes.serverSettings(plan).map(ServerPorts::problems)
            .flatMap(List::stream).distinct()).flatMap(all -> all).toList();
        if (!problems.isEmpty()) {
            page.dashboard.ifPresent(Dashboard::close);
            throw new ConfigException(problems);
        }
        return page;
    }

    private static Page open(JobOptions.JobPlace place) {
        try {
            return new Page(place.dashboard().open(), Optional.empty());
        } catch (IOException e) {
            return new Page(Optional.empty(), Optional.of(e.getMessage()));
        }
    }

    /** The page that shows the job, if one is wanted, or the reason why it cannot be served. */
    private record Page(Optional<Dashboard> dashboard, Optional<String> problem) {
    }

    /** On this machine, with another place for what ranks print, and for what rank 0 reads. */
    static int run(JobPlan plan, BindPolicy bind, StandardInput input, OutputStream output)
        throws IOException, InterruptedException {
        Launcher launcher = Launcher.begin(input, output);
        return launcher.end(run(plan, bind, Optional.empty(), launcher));
    }

    private static Ended run(JobPlan plan, BindPolicy bind, Optional<Dashboard> dashboard, Launcher launcher)
        throws IOException, InterruptedException {
        NodeDirectory.sweep(plan.settings().shmDirectory());
        LineSink err = launcher.err;
        LineSink out = LineSink.ofStandardOutput(launcher.output, err);
        String jobId = newJobId();
        NodeShare all = NodeShare.whole(jobId, plan.topology(), bind);
        Job job = new Job(plan, events -> shown(dashboard,
            new LocalNodes(plan, all, events, launcher.input, out, err)), err);
        try {
            return run(job, launcher);
        } finally {
            removeDirectories(plan, jobId);
        }
    }

    private static Ended run(Job job, Launcher launcher) throws IOException, InterruptedException {
        job.countTimeFrom(launcher.startNs);
        launcher.signals.setTaker(job::signal);
        if (launcher.signals.endSignal() != 0) {
            job.signal(launcher.signals.endSignal()); // it came between two jobs, or before the first
        }
        try {
            int exitCode = job.run();
            return new Ended(exitCode, job.hasLost());
        } finally {
            launcher.err.hide();
        }
    }

    private static Ended runOn(JobOptions.JobPlace place, JobPlan plan, Page page, Launcher launcher)
        throws IOException, InterruptedException {
        HostOptions.Placement hosts = place.hosts().orElseThrow();
        LineSink err = launcher.err;
        LineSink out = LineSink.ofStandardOutput(launcher.output, err);
        String jobId = newJobId();
        Optional<HostTraces> traces = HostTraces.of(plan, jobId, hosts.hosts(), hosts.launch(), Version.release(), err);
        Job job = new Job(plan, events -> shown(page.dashboard, new AgentNodes(plan, jobId, hosts.hosts(),
            hosts.launch(), place.bind(), Version.release(), events, launcher.input, out, err).recordedBy(traces)),
            err);
        List.of(HostList.SUBJECT, Job.LAYOUT).forEach(whose -> place.problems().getOrDefault(whose, List.of())
            .forEach(problem -> job.problem(whose, problem)));
        page.problem.ifPresent(problem -> job.problem(Job.THIS_MACHINE, problem));
        place.traceProblem().ifPresent(problem -> job.problem(Job.THIS_MACHINE, problem));
        Ended ended = run(job, launcher);
        if (traces.isPresent()) {
            launcher.signals.setTaker(signal -> {
                if (JobSignals.isForTheEnd(signal)) {
                    traces.get().stop();
                }
            });
            traces.get().collect();
        }
        return ended;
    }

    private static JobNodes shown(Optional<Dashboard> dashboard, JobNodes nodes) {
        dashboard.ifPresent(page -> page.show(nodes.jobId(), nodes.view()));
        return nodes;
    }

    /** A server that was killed could not do it, and one that was just making its directory had not locked it. */
    private static void removeDirectories(JobPlan plan, String jobId) throws IOException {
        for (int node = 0; node < plan.topology().nodeCount(); node++) {
            LockedDirectory.remove(NodeDirectory.of(plan.settings().shmDirectory(), jobId, node).path());
        }
        NodeDirectory.sweep(plan.settings().shmDirectory());
    }

    /** Unique on every machine that jobs of one user share: time, process and chance. */
    private static String newJobId() {
        return Long.toString(Instant.now().getEpochSecond(), RADIX)
            + "-" + Long.toString(ProcessHandle.current().pid(), RADIX)
            + "-" + Integer.toString(new SecureRandom().nextInt(1 << 30), RADIX);
    }
}
