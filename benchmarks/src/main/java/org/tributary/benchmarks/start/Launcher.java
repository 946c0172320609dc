package org.tributary.benchmarks.start;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.config.ProcessFiles;

/** Starts launchers, and looks at their memory while they run. */
final class Launcher {
    /** This machine under another name, which is all that agents of one job have to differ in. */
    private static final String ALIAS = "unshare -u sh -c 'hostname {host}; exec \"$@\"' sh";
    private static final String PEAK = "VmHWM:";
    private static final int LOOK_MS = 5;
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(10);

    private final LauncherCommand command;

    Launcher(LauncherCommand command) {
        this.command = command;
    }

    /** A job from its start to its end. */
    record Cost(long elapsedNs, long peakKib) {
    }

    /** So many nodes of this machine. */
    Cost ofNodes(int nodes) throws IOException, InterruptedException {
        return run(List.of("--nodes", Integer.toString(nodes)));
    }

    /** The same with an agent for each node. */
    Cost ofAgents(int agents) throws IOException, InterruptedException {
        return run(List.of("--launch-agent", ALIAS, "--hosts", IntStream.range(0, agents)
            .mapToObj(host -> "bench" + host + ":1").collect(Collectors.joining(","))));
    }

    private Cost run(List<String> options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(options);
        arguments.addAll(List.of("--", "true"));
        ProcessBuilder builder = command.run(arguments).redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putIfAbsent("TRIBUTARY_ATTACH_TIMEOUT",
            TimeUnit.NANOSECONDS.toSeconds(LIMIT_NS) + "s");
        long startNs = System.nanoTime();
        Process process = builder.start();
        try {
            ProcessFiles launcher = ProcessFiles.of(process.pid());
            long peakKib = 0;
            while (!process.waitFor(LOOK_MS, TimeUnit.MILLISECONDS)) {
                peakKib = Math.max(peakKib, peakKib(launcher));
                if (System.nanoTime() - startNs > LIMIT_NS) {
                    throw new IOException("the job has not ended within " + TimeUnit.NANOSECONDS.toMinutes(LIMIT_NS)
                        + " min: " + builder.command());
                }
            }
            if (process.exitValue() != 0) {
                throw new IOException("exit code " + process.exitValue() + " of " + builder.command());
            }
            return new Cost(System.nanoTime() - startNs, peakKib);
        } finally {
            process.destroy();
        }
    }

    /** 0 when it has ended. */
    private static long peakKib(ProcessFiles launcher) {
        return launcher.text("status").lines().filter(line -> line.startsWith(PEAK))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(0);
    }
}
