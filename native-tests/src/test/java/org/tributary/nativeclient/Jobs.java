package org.tributary.nativeclient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;
import org.tributary.config.Topology;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.Libraries;
import org.tributary.testsupport.LoggedErrors;
import org.tributary.testsupport.ProcessThreads;
import org.tributary.wire.shm.NodeDirectory;

/** Jobs of one test, in a shared-memory directory of their own, which must be empty when they have ended. */
final class Jobs implements AutoCloseable {
    private static final long DEADLINE_S = 340;
    private static final long GONE_S = 60;
    /** Twice the default: the machine may do other things. */
    static final String ATTACH_TIMEOUT = "60s";
    /**
     * Servers and ranks here live for seconds: the second compiler would only take the processors from them, and the
     * first one does as in launchers.
     */
    private static final List<String> FAST_START = List.of("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=10");
    private static final String SHM_VARIABLE = "TRIBUTARY_SHM_DIRECTORY";
    private final Path shm;
    private final Path work;
    private final List<Running> started = new CopyOnWriteArrayList<>();

    Jobs() throws IOException {
        shm = Files.createTempDirectory(Path.of("/dev/shm"), "tributary-native-");
        work = Files.createTempDirectory("tributary-native-");
    }

    Path work() {
        return work;
    }

    /** Where shared memory of the jobs is. */
    Path shm() {
        return shm;
    }

    /** The directory of the only node of the only job. */
    Path nodeDirectory() throws IOException {
        try (Stream<Path> files = Files.list(shm)) {
            return files.filter(file -> NodeDirectory.NAME.matcher(file.getFileName().toString()).matches())
                .findAny().orElseThrow();
        }
    }

    /** The directory of one of the nodes of the only job. */
    Path nodeDirectory(int node) throws IOException {
        try (Stream<Path> files = Files.list(shm)) {
            return files.filter(file -> NodeDirectory.NAME.matcher(file.getFileName().toString()).matches()
                && file.toString().endsWith("-" + node)).findAny().orElseThrow();
        }
    }

    /** The launcher as the distribution starts it, and with assertions. */
    static List<String> launcher() {
        List<String> command = new ArrayList<>(JavaCommand.launcher());
        command.add(1, "-ea");
        return command;
    }

    /** The command of a rank in Java, which starts from the distribution's cache of classes. */
    static String javaRank(Class<?> main) {
        String tests = main.getProtectionDomain().getCodeSource().getLocation().getPath();
        return String.join(" ", JavaCommand.rank(Libraries.RANK, main.getName(), tests + ":" + Libraries.ADAPTER.jars(),
            Stream.concat(FAST_START.stream(), Stream.of("-ea", "-Xmx128m")).toList()));
    }

    /** A folder with the command `tributary` of this class path. */
    Path home() throws IOException {
        Path command = Files.createDirectory(work.resolve("home")).resolve("tributary");
        String server = String.join(" ", JavaCommand.server(Topology.of(1, 1)));
        Files.writeString(command, "#!/bin/sh\n[ \"$*\" = 'server --supervised' ] && exec " + server + "\nexec "
            + String.join(" ", launcher()) + " \"$@\"\n");
        Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwx------"));
        return command.getParent();
    }

    /** {@code tributary run} with that layout, of an executable and its arguments. */
    Running run(String layout, List<String> options, Object... command) throws IOException {
        List<String> words = launcher();
        words.addAll(List.of("run", "--layout", layout));
        words.addAll(options);
        words.add("--");
        Stream.of(command).map(Object::toString).forEach(words::add);
        return start(words);
    }

    /** Any process, without the variables of a job. */
    Running start(List<String> words) throws IOException {
        return start(words, Map.of());
    }

    /** Any process, with the variables of a rank. */
    Running start(List<String> words, Map<String, String> variables) throws IOException {
        Path output = Files.createTempFile(work, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(words).directory(work.toFile()).redirectErrorStream(true)
            .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("TRIBUTARY_"));
        builder.environment().put("TRIBUTARY_ATTACH_TIMEOUT", ATTACH_TIMEOUT);
        builder.environment().put("JDK_JAVA_OPTIONS", String.join(" ", FAST_START));
        builder.environment().putAll(variables);
        builder.environment().put(SHM_VARIABLE, shm.toString());
        Process process = builder.start();
        Running running = new Running(process, output);
        started.add(running);
        return running;
    }

    /** A process and the file that it and its children write to. */
    record Running(Process process, Path file) {
        String output() {
            try {
                return Files.readString(file, StandardCharsets.ISO_8859_1);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Waits for the end; its exit code. */
        int exitCode() throws InterruptedException {
            if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
                throw new AssertionError("still runs after " + DEADLINE_S + " s:\n" + output());
            }
            return process.exitValue();
        }

        /** Waits for the end, which must be a good one. */
        String succeed() throws InterruptedException {
            int code = exitCode();
            if (code != 0) {
                throw new AssertionError("exit code " + code + ":\n" + output());
            }
            return output();
        }

        /** Waits until so many lines have come that match; their first groups, in the order of the lines. */
        List<String> await(String regex, int lines) {
            Pattern pattern = Pattern.compile(regex);
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
            while (System.nanoTime() < deadlineNs) {
                boolean ended = !process.isAlive();
                List<String> found = new ArrayList<>();
                output().lines().map(pattern::matcher).filter(Matcher::matches).forEach(m -> found.add(m.group(1)));
                if (found.size() >= lines) {
                    return found;
                }
                if (ended) {
                    break;
                }
                LockSupport.parkNanos(5_000_000);
            }
            throw new AssertionError("not " + lines + " lines " + regex + ":\n" + output());
        }
    }

    /** Waits until no process of the jobs has a thread of that name. */
    void awaitNoThread(String name) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (processes().stream().anyMatch(process -> ProcessThreads.has(process, name))) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("a process still has a thread " + name);
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** To all processes of the jobs. */
    void signal(String name) throws IOException, InterruptedException {
        String pids = processes().stream().map(process -> Long.toString(process.pid())).sorted()
            .collect(Collectors.joining(" "));
        Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + pids).start();
        if (!kill.waitFor(100, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            throw new AssertionError("kill -" + name + " " + pids);
        }
    }

    /** Nothing of the jobs may be left, neither files nor processes. */
    void assertNothingLeft() throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(GONE_S);
        while (!entries().isEmpty() || !processes().isEmpty()) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("left: " + entries() + " " + processes().stream().map(
                    process -> process.pid() + " " + process.info().commandLine().orElse("")).toList());
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private List<Path> entries() throws IOException {
        try (Stream<Path> entries = Files.list(shm)) {
            return entries.toList();
        }
    }

    /** Those that were started with the shared-memory directory of this test; a zombie has no environment. */
    List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
            .filter(process -> ProcessFiles.of(process).findsVariable(SHM_VARIABLE, shm.toString())).toList();
    }

    /** Whatever a failed test has left is ended and removed. */
    @Override
    public void close() throws IOException {
        processes().forEach(ProcessHandle::destroyForcibly);
        started.forEach(running -> running.process().destroyForcibly());
        started.forEach(running -> LoggedErrors.scan("process " + running.process().pid(), running.output()));
        for (Path directory : List.of(shm, work)) {
            try (Stream<Path> tree = Files.walk(directory)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }
}
