package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.Libraries;
import org.tributary.launcher.job.StandardInput;

/**
 * Makes the caches of loaded, linked and profiled classes (JEP 483, 515) from which servers and launchers of a
 * distribution start, by a small job of two nodes. Part of the build: starts with the distribution's jar as class path
 * and the distribution's folder as argument. Where no job can run there are no caches, and a warning says why.
 */
public final class AotCaches {
    private static final long DEADLINE_S = 300;
    private static final Topology LAYOUT = Topology.of(2, 1);
    private static final List<String> TRAINING =
        List.of("org.tributary.miniapps.matmul.Matmul", "--size", "128", "--iterations", "1");
    private static final String CONFIGURATION = ".configuration";

    private final Path server;
    private final Path launcher;
    private final Path log;

    private AotCaches(Path distribution) {
        this.server = distribution.resolve(JavaCommand.SERVER_CACHE);
        this.launcher = distribution.resolve(JavaCommand.LAUNCHER_CACHE);
        this.log = distribution.resolve("aot.log");
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        AotCaches caches = new AotCaches(Path.of(arguments[0]).toAbsolutePath());
        try {
            caches.make();
        } catch (IOException e) {
            System.err.println("warning: servers and launchers will start without a cache of classes, which takes them"
                + " twice as long: " + e.getMessage());
        } finally {
            Files.deleteIfExists(configurationOf(caches.server));
            Files.deleteIfExists(configurationOf(caches.launcher));
            Files.deleteIfExists(caches.log);
        }
    }

    private void make() throws IOException, InterruptedException {
        Files.deleteIfExists(server);
        Files.deleteIfExists(launcher);
        List<String> serverCommand = JavaCommand.server(LAYOUT);
        List<String> launcherCommand = JavaCommand.launcher();
        recordServer(serverCommand);
        create(serverCommand, server);
        List<String> recording = with(launcherCommand, "-XX:AOTMode=record",
            "-XX:AOTConfiguration=" + configurationOf(launcher));
        recording.addAll(List.of("run", "--nodes", "2", "--", "true"));
        run(recording);
        create(launcherCommand, launcher);
    }

    private static Path configurationOf(Path cache) {
        return cache.resolveSibling(cache.getFileName() + CONFIGURATION);
    }

    /** That of node 0 records; a launcher gives all servers the same command. */
    private void recordServer(List<String> command) throws IOException, InterruptedException {
        List<String> recording = new ArrayList<>(List.of("/bin/sh", "-c",
            "to=$1; java=$2; shift 2; [ \"$TRIBUTARY_NODE\" != 0 ] || set -- -XX:AOTMode=record"
                + " \"-XX:AOTConfiguration=$to\" \"$@\"; exec \"$java\" \"$@\"",
            "server", configurationOf(server).toString()));
        recording.addAll(command);
        List<String> rank = JavaCommand.rank(Libraries.PROGRAM, TRAINING.getFirst(), "", List.of());
        rank.addAll(TRAINING.subList(1, TRAINING.size()));
        // On a busy machine: a server that records starts slowly, and writes its record when it ends.
        Settings settings = Settings.builder().set("attach.timeout=2min").set("job.grace=60s").build();
        int code = JobRunner.run(new JobPlan(LAYOUT, settings, recording, rank, Map.of(), false,
            TimeUnit.SECONDS.toNanos(DEADLINE_S), false), BindPolicy.NONE, StandardInput.none(),
            OutputStream.nullOutputStream());
        if (code != 0) {
            throw new IOException("the job from which the cache of servers is made ended with " + code);
        }
    }

    /** From what a run has recorded. */
    private void create(List<String> command, Path cache) throws IOException, InterruptedException {
        run(with(command, "-XX:AOTMode=create", "-XX:AOTConfiguration=" + configurationOf(cache),
            "-XX:AOTCache=" + cache));
    }

    private static List<String> with(List<String> command, String... options) {
        List<String> with = new ArrayList<>(command);
        with.addAll(1, List.of(options));
        return with;
    }

    private void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue() + ":\n"
                + Files.readString(log));
        }
    }
}
