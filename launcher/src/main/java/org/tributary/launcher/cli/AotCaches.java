package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.Libraries;
import org.tributary.launcher.job.StandardInput;

/**
 * Makes the caches of loaded and linked classes (JEP 483) from which processes of a distribution start, those of
 * servers and launchers with profiles of their methods (JEP 515), by small jobs of two nodes. Part of the build: starts
 * with the distribution's jar as class path and the distribution's folder as argument. Where no job can run there are
 * no caches, and a warning says why.
 */
public final class AotCaches {
    private static final long DEADLINE_S = 300;
    private static final Topology LAYOUT = Topology.of(2, 1);
    private static final List<String> TRAINING =
        List.of("org.tributary.miniapps.matmul.Matmul", "--size", "128", "--iterations", "1");
    private static final String REHEARSAL = "org.tributary.client.rehearsal.Rehearsal";
    private static final String CONFIGURATION = ".configuration";
    private static final String LOG = ".log";
    private static final String UNFINISHED = ".new";
    private static final String RECORD = ".record";
    private static final long LOOK_MS = 100;
    /**
     * Ranks get no profiles: compilers would not look at what a program does then, and short operations on the node
     * stayed up to 1.4 times as long. Nor do agents: compilers would begin with what was called often in the training,
     * and an agent has started by then.
     */
    private static final List<String> WITHOUT_PROFILES =
        List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTRecordTraining");

    private final Path server;
    private final Path rank;
    private final Path launcher;
    private final Path agent;

    private AotCaches(Path distribution) {
        this.server = distribution.resolve(JavaCommand.SERVER_CACHE);
        this.rank = distribution.resolve(JavaCommand.RANK_CACHE);
        this.launcher = distribution.resolve(JavaCommand.LAUNCHER_CACHE);
        this.agent = distribution.resolve(JavaCommand.AGENT_CACHE);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        AotCaches caches = new AotCaches(Path.of(arguments[0]).toAbsolutePath());
        try {
            caches.make();
        } catch (IOException e) {
            System.err.println("warning: some processes will start without a cache of classes, which takes them twice"
                + " as long; missing are " + caches.missing() + ": " + e.getMessage());
        } finally {
            for (Path cache : caches.all()) {
                Files.deleteIfExists(configurationOf(cache));
                Files.deleteIfExists(logOf(cache));
            }
        }
    }

    private String missing() {
        return all().stream().filter(Files::notExists).map(cache -> cache.getFileName().toString())
            .collect(Collectors.joining(", "));
    }

    private List<Path> all() {
        return List.of(server, rank, launcher, agent);
    }

    /** A cache is made from what a run has recorded while the next run records: both take one core most of the time. */
    private void make() throws IOException, InterruptedException {
        for (Path cache : all()) {
            Files.deleteIfExists(cache);
        }
        List<String> serverCommand = JavaCommand.server(LAYOUT);
        List<String> training = JavaCommand.rank(Libraries.PROGRAM, TRAINING.getFirst(), "", List.of());
        training.addAll(TRAINING.subList(1, TRAINING.size()));
        // Class paths of all ranks begin with that of users' ranks, so their cache fits all.
        List<String> rankCommand = JavaCommand.rank(Libraries.RANK, REHEARSAL, "", List.of());
        List<String> launcherCommand = JavaCommand.launcher();
        List<String> agentCommand = JavaCommand.agent();
        // The second server also connects to the first.
        record(onlyOf("TRIBUTARY_NODE", 1, server, serverCommand), training);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<Void>> creations = new ArrayList<>();
            creations.add(threads.submit(() -> create(serverCommand, server)));
            record(serverCommand, onlyOf("TRIBUTARY_RANK", 0, rank, with(rankCommand, WITHOUT_PROFILES)));
            creations.add(threads.submit(() -> create(rankCommand, rank)));
            List<String> recording = with(launcherCommand, List.of("-XX:AOTMode=record",
                "-XX:AOTConfiguration=" + configurationOf(launcher)));
            recording.addAll(List.of("run", "--nodes", "2", "--", "true"));
            run(recording, launcher);
            creations.add(threads.submit(() -> create(launcherCommand, launcher)));
            recordAgent(launcherCommand);
            create(agentCommand, agent);
            for (Future<Void> creation : creations) {
                creation.get();
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }

    private static Path configurationOf(Path cache) {
        return cache.resolveSibling(cache.getFileName() + CONFIGURATION);
    }

    private static Path logOf(Path cache) {
        return cache.resolveSibling(cache.getFileName() + LOG);
    }

    /** A launcher gives all servers, and all ranks, the same command: only one of them records. */
    private static List<String> onlyOf(String variable, int number, Path cache, List<String> command) {
        List<String> recording = new ArrayList<>(List.of("/bin/sh", "-c",
            "to=$1; java=$2; shift 2; [ \"$" + variable + "\" != " + number + " ] || set -- -XX:AOTMode=record"
                + " \"-XX:AOTConfiguration=$to\" \"$@\"; exec \"$java\" \"$@\"",
            "record", configurationOf(cache).toString()));
        recording.addAll(command);
        return recording;
    }

    private static void record(List<String> serverCommand, List<String> rankCommand)
        throws IOException, InterruptedException {
        // On a busy machine: a process that records starts slowly, and writes its record when it ends.
        Settings settings = Settings.builder().set("attach.timeout=2min").set("job.grace=60s").build();
        int code = JobRunner.run(new JobPlan(LAYOUT, settings, serverCommand, rankCommand, Map.of(), false,
            TimeUnit.SECONDS.toNanos(DEADLINE_S), false), BindPolicy.NONE, StandardInput.none(),
            OutputStream.nullOutputStream());
        if (code != 0) {
            throw new IOException("the job of " + rankCommand.getLast() + " ended with " + code);
        }
    }

    /**
     * The agent of a launcher, which ends the command that it runs but not what that has left: a process that records
     * writes its record when it ends, for longer than a launcher waits.
     */
    private void recordAgent(List<String> launcherCommand) throws IOException, InterruptedException {
        Path folder = agent.resolveSibling(agent.getFileName() + RECORD);
        delete(folder); // of a build that was killed
        Files.createDirectory(folder);
        Path record = folder.resolve("record");
        Path failed = folder.resolve("failed");
        Path recorder = folder.resolve("pid");
        String in = folder.getFileName() + "/"; // without the blanks that the path to it may have
        Files.writeString(folder.resolve("script"), String.join("\n", "exec 3<&0",
            "while [ \"${1##*/}\" != java ]; do shift; done", "java=$1", "shift",
            "{ \"$java\" -XX:AOTMode=record -XX:AOTConfiguration=" + in + "new " + String.join(" ", WITHOUT_PROFILES)
                + " \"$@\" <&3 & echo $! > " + in + "pid; wait $!; mv " + in + "new " + in + "record || : > " + in
                + "failed; } &", "wait", ""));
        try {
            List<String> command = new ArrayList<>(launcherCommand);
            command.addAll(List.of("run", "--set", "attach.timeout=2min", "--set", "job.grace=60s", "--hosts",
                "localhost:1", "--launch-agent", "/bin/sh " + in + "script", "--", "echo", "recorded"));
            run(command, agent);
            if (!await(() -> Files.exists(record) || Files.exists(failed)) || Files.notExists(record)) {
                throw new IOException("the agent has left no record");
            }
            Files.move(record, configurationOf(agent));
        } catch (IOException e) {
            if (Files.exists(recorder) && !Files.exists(failed)) {
                ProcessHandle.of(Long.parseLong(Files.readString(recorder).strip()))
                    .ifPresent(ProcessHandle::destroyForcibly);
                await(() -> Files.exists(failed));
            }
            throw e;
        } finally {
            delete(folder);
        }
    }

    private static boolean await(BooleanSupplier condition) throws InterruptedException {
        for (long ms = 0; !condition.getAsBoolean(); ms += LOOK_MS) {
            if (ms > TimeUnit.SECONDS.toMillis(DEADLINE_S)) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        return true;
    }

    private static void delete(Path folder) throws IOException {
        if (Files.notExists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.delete(folder);
    }

    /** From what a run has recorded. A process that starts meanwhile finds no half of a cache. */
    private static Void create(List<String> command, Path cache) throws IOException, InterruptedException {
        Path unfinished = cache.resolveSibling(cache.getFileName() + UNFINISHED);
        try {
            run(with(command, List.of("-XX:AOTMode=create", "-XX:AOTConfiguration=" + configurationOf(cache),
                "-XX:AOTCache=" + unfinished)), cache);
            Files.move(unfinished, cache, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(unfinished);
        }
        return null;
    }

    private static List<String> with(List<String> command, List<String> options) {
        List<String> with = new ArrayList<>(command);
        with.addAll(1, options);
        return with;
    }

    /** For such a cache. */
    private static void run(List<String> command, Path cache) throws IOException, InterruptedException {
        Path log = logOf(cache);
        Process process = new ProcessBuilder(command).directory(cache.getParent().toFile())
            .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue() + ":\n"
                + Files.readString(log));
        }
    }
}
