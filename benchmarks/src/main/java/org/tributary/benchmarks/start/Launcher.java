package org.tributary.benchmarks.start;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tributary.config.ProcessFiles;

/** Starts launchers as this job's own was started, and looks at their memory while they run. */
final class Launcher {
    private static final String JAR = "tributary-launcher.jar";
    private static final String MAIN = "org.tributary.launcher.Main";
    /** This machine under another name, which is all that agents of one job have to differ in. */
    private static final String ALIAS = "unshare -u sh -c 'hostname {host}; exec \"$@\"' sh";
    private static final String PEAK = "VmHWM:";
    private static final int LOOK_MS = 5;
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(10);

    private final List<String> command;

    private Launcher(List<String> command) {
        this.command = command;
    }

    /** A job from its start to its end. */
    record Cost(long elapsedNs, long peakKib) {
    }

    /** That of a process which {@code words} have started; null when it was no launcher. */
    static Launcher of(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).endsWith(JAR) && i > 0 && words.get(i - 1).equals("-jar") || words.get(i).equals(MAIN)) {
                return new Launcher(List.copyOf(words.subList(0, i + 1)));
            }
        }
        return null;
    }

    /** The one that has started this process. */
    static Launcher ofThisJob() {
        return ProcessHandle.current().parent().map(parent -> of(ProcessFiles.of(parent).commandLine())).orElse(null);
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

    List<String> command(List<String> options) {
        List<String> whole = new ArrayList<>(command);
        whole.add("run");
        whole.addAll(options);
        whole.addAll(List.of("--set", "attach.timeout=" + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NS) + "s", "--",
            "true"));
        return whole;
    }

    private Cost run(List<String> options) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command(options)).redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeIf(name -> name.startsWith("TRIBUTARY_"));
        long startNs = System.nanoTime();
        Process process = builder.start();
        try {
            Path status = Path.of("/proc", Long.toString(process.pid()), "status");
            long peakKib = 0;
            while (!process.waitFor(LOOK_MS, TimeUnit.MILLISECONDS)) {
                peakKib = Math.max(peakKib, peakKib(status));
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

    private static long peakKib(Path status) {
        try {
            return Files.readAllLines(status).stream().filter(line -> line.startsWith(PEAK))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(0);
        } catch (IOException e) {
            return 0; // it has ended
        }
    }
}
