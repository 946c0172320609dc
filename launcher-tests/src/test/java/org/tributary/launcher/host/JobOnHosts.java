package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;
import org.tributary.launcher.cli.Version;
import org.tributary.launcher.job.Job;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.JobProcesses;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.PatientJob;
import org.tributary.launcher.job.StandardInput;
import org.tributary.launcher.link.LaunchCommand;

/** A job whose hosts are this machine under other names, whose servers and ranks are shell scripts. */
public final class JobOnHosts {
    /** The agent is a process below it: one that calls itself as it is called. */
    static final String NAMED = "exec unshare -u sh -c 'hostname \"$0\"; exec \"$@\"' \"$host\" \"$@\"\n";
    static final String AS_IT_IS = "exec \"$@\"\n";
    static final String RELEASE = Version.release();
    /** Does as much of what a server does as its launcher notices: also ends all when that has died. */
    private static final String OBEDIENT_SERVER = """
        echo "tributary server ready: node $TRIBUTARY_NODE, address 127.0.0.1:$((1000 + TRIBUTARY_NODE)), pid $$"
        while read -r line; do
            case $line in
                end) exit 0 ;;
                abort*) exit 1 ;;
                pid*) pids="$pids ${line#pid}"; : > "$(dirname "$TRIBUTARY_SECRET_FILE")/told" ;;
            esac
        done
        kill $pids
        rm -r "$(dirname "$TRIBUTARY_SECRET_FILE")"
        exit 1
        """;
    private static final long DEADLINE_S = 150;

    private final Path directory;
    private final String jobId = "hosts-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Settings.Builder settings = Settings.builder().set("job.grace=5s").set("attach.timeout=150s");
    private List<String> server = List.of("/bin/sh", "-c", OBEDIENT_SERVER);
    private Map<String, String> variables = Map.of("GREETING", "hello");
    private List<String> problems = List.of();
    private List<String> layoutProblems = List.of();
    private InputStream input = InputStream.nullInputStream();
    private OutputStream reader = out;
    private long timeoutNs;
    private volatile Job job;
    private volatile boolean hasEnded;

    /** {@code directory} takes its files. */
    JobOnHosts(Path directory) {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "no setsid (util-linux) here");
        this.directory = directory;
    }

    public static void assumeNamesCanBeGiven() throws Exception {
        Process unshare = new ProcessBuilder("unshare", "-u", "true").redirectErrorStream(true).start();
        assumeTrue(unshare.waitFor() == 0, "no host names of their own here (unshare -u, as root)");
    }

    JobOnHosts server(String... command) {
        server = List.of(command);
        return this;
    }

    JobOnHosts input(InputStream other) {
        input = other;
        return this;
    }

    /** Another reader of what ranks print. */
    JobOnHosts reader(OutputStream other) {
        reader = other;
        return this;
    }

    /** As {@code --timeout} does. */
    JobOnHosts timeoutMs(long timeoutMs) {
        timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        return this;
    }

    /** Of the ranks. */
    JobOnHosts variables(Map<String, String> others) {
        variables = others;
        return this;
    }

    JobOnHosts layoutProblems(String... texts) {
        layoutProblems = List.of(texts);
        return this;
    }

    /** Of the launcher's machine. */
    JobOnHosts problems(String... texts) {
        problems = List.of(texts);
        return this;
    }

    String id() {
        return jobId;
    }

    JobOnHosts set(String setting) {
        settings.set(setting);
        return this;
    }

    /**
     * Runs it to its end, after which nothing of it may be left.
     *
     * @param hosts  as for {@code --hosts}
     * @param launch a script that starts a command on {@code $host}
     */
    int run(String rankScript, String hosts, String launch) throws Exception {
        List<Host> all = HostList.parse(hosts).orThrow();
        Topology topology = Hosts.layout(all, null, null, HostSource.OPTION).topology();
        JobPlan plan = new JobPlan(topology, settings.build(), server, List.of("/bin/sh", "-c", rankScript),
            variables, true, timeoutNs, false);
        Path command = Files.createFile(directory.resolve("launch"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(command, "#!/bin/sh\nhost=$1; shift\n" + launch);
        LineSink errors = new LineSink(err);
        List<String> names = all.stream().map(Host::name).toList();
        LaunchCommand way = LaunchCommand.parse(command.toString());
        Optional<HostTraces> traces = HostTraces.of(plan, jobId, names, way, RELEASE, errors);
        job = PatientJob.of(plan, events -> new AgentNodes(plan, jobId, names, way, BindPolicy.NONE, RELEASE, events,
            StandardInput.of(input), new LineSink(reader), errors).recordedBy(traces), errors);
        layoutProblems.forEach(problem -> job.problem(Job.LAYOUT, problem));
        problems.forEach(problem -> job.problem(Job.THIS_MACHINE, problem));
        int code = runUnlessInterrupted();
        if (traces.isPresent()) {
            traces.get().collect();
        }
        errors.awaitSaid(() -> false); // what was said last may come late
        assertNothingLeft();
        return code;
    }

    /** A test that has no time left says how far it came. */
    private int runUnlessInterrupted() throws Exception {
        try {
            return job.run();
        } catch (InterruptedException e) {
            e.addSuppressed(new AssertionError("said so far: " + errors()));
            throw e;
        } finally {
            hasEnded = true;
        }
    }

    boolean hasLost() {
        return job.hasLost();
    }

    void signal(int signal) {
        job.signal(signal);
    }

    /** Whether its processes have ended, as far as their hosts have told. */
    boolean isClosing() {
        return job != null && job.isClosing();
    }

    Stream<ProcessHandle> agents() {
        return ProcessHandle.current().descendants()
            .filter(process -> ProcessFiles.of(process).commandLine().getLast().equals("agent"));
    }

    private void assertNothingLeft() throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!JobProcesses.ofJob(jobId).running().isEmpty() || agents().findAny().isPresent() || !files().isEmpty()) {
            assertTrue(System.nanoTime() < deadlineNs, "left: " + JobProcesses.ofJob(jobId).running() + files());
            LockSupport.parkNanos(5_000_000);
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().contains(jobId)).toList();
        }
    }

    /** Fails if the job ends first. */
    void await(BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!condition.getAsBoolean()) {
            assertFalse(hasEnded, () -> "the job has ended before what is awaited: " + errors());
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "what is awaited does not come: " + errors());
            LockSupport.parkNanos(5_000_000);
        }
    }

    static void touch(Path file) {
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Does it beside the job; to join it fails if that has failed. */
    static CompletableFuture<Void> meanwhile(Runnable work) {
        return CompletableFuture.runAsync(work, task -> Thread.ofVirtual().start(task));
    }

    /** The same with a signal as soon as the condition holds. */
    CompletableFuture<Void> signalWhen(BooleanSupplier condition, int signal) {
        return meanwhile(() -> {
            await(condition);
            signal(signal);
        });
    }

    String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
