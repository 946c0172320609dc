package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;
import org.tributary.config.Topology;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.Libraries;
import org.tributary.testsupport.LoggedErrors;

/**
 * Where one test's jobs live: a shared-memory directory, a working directory, and in the latter a temporary directory
 * of commands, where the sockets of launchers are: those that look for jobs see none of another test that runs at the
 * same time. The name of the first is in the environment of every process below the test's, and so finds them
 * whichever process their parent has become.
 */
final class Place implements AutoCloseable {
    /** Five times the default: the machine may do other things. */
    private static final String ATTACH_TIMEOUT = "150s";
    /** Servers and ranks here live for seconds: the second compiler would only take the processors from them. */
    static final String FAST_START = "-XX:TieredStopAtLevel=1";
    static final String VARIABLE = "TRIBUTARY_SHM_DIRECTORY";
    /** Where the programs of these tests are. */
    private static final String CLASSES =
        Path.of(Place.class.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
    private static final long GONE_S = 60;
    private static final long LEAST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long MOST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Path shm;
    private final Path work;
    private final Path temporary;
    private final List<Running> started = new ArrayList<>();

    Place() {
        try {
            shm = Files.createTempDirectory(Path.of("/dev/shm"), "tributary-it-");
            work = Files.createTempDirectory("tributary-it-");
            temporary = Files.createDirectory(work.resolve("tmp"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path shm() {
        return shm;
    }

    Path work() {
        return work;
    }

    /** The launcher or another command of it, in a JVM of its own, with the temporary directory of this place. */
    Running tributary(String... arguments) {
        List<String> command = launcher();
        command.addAll(List.of(arguments));
        ProcessBuilder builder = builder(command);
        builder.environment().put("JDK_JAVA_OPTIONS", FAST_START + " -Djava.io.tmpdir=" + temporary);
        return start(builder);
    }

    /**
     * The launcher, or another command of it, as the distribution starts it; arguments are to follow. Interrupts end it
     * also where the build ignores them, as one does that a script runs in its background.
     */
    static List<String> launcher() {
        return interruptible(JavaCommand.launcher());
    }

    private static List<String> interruptible(List<String> command) {
        List<String> whole = new ArrayList<>(List.of("/usr/bin/env", "--default-signal=INT"));
        whole.addAll(command);
        return whole;
    }

    /** A server, as the script of the distribution starts it; arguments are to follow. */
    static List<String> server() {
        List<String> command = JavaCommand.server(Topology.of(1, 1));
        command.removeLast(); // --supervised
        command.add(1, FAST_START);
        return interruptible(command);
    }

    /** A rank, as {@code tributary run --class-path} starts it; arguments are to follow. */
    static List<String> java(String mainClass) {
        List<String> command = JavaCommand.rank(Libraries.RANK, mainClass, CLASSES, List.of(FAST_START, "-Xmx128m"));
        int classPath = command.indexOf("-cp") + 1;
        command.set(classPath, withoutSlf4j(command.get(classPath)));
        return command;
    }

    /** The same, with what a network adapter needs, as {@code tributary run} puts it there when there may be one. */
    static List<String> javaWithAdapter(String mainClass) {
        List<String> command = java(mainClass);
        int classPath = command.indexOf("-cp") + 1;
        command.set(classPath, command.get(classPath) + ":" + withoutSlf4j(Libraries.ADAPTER.jars()));
        return command;
    }

    /**
     * The distribution has no SLF4J, with which Netty would log. Where there is no distribution, the class path is that
     * of these tests, of which a library brings it.
     */
    private static String withoutSlf4j(String classPath) {
        return Stream.of(classPath.split(":")).filter(entry -> !entry.contains("slf4j"))
            .collect(Collectors.joining(":"));
    }

    ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("TRIBUTARY_"));
        builder.environment().put(VARIABLE, shm.toString());
        builder.environment().put("TRIBUTARY_ATTACH_TIMEOUT", ATTACH_TIMEOUT);
        builder.environment().put("JDK_JAVA_OPTIONS", FAST_START);
        return builder;
    }

    Running start(ProcessBuilder builder) {
        try {
            Running running = new Running(builder);
            started.add(running);
            return running;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every process of this place that runs; a zombie does not. */
    List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses().filter(process ->
            ProcessFiles.of(process).findsVariable(VARIABLE, shm.toString())
                && ProcessFiles.of(process).runs()).toList();
    }

    void assertNothingLeft() {
        await("processes still run", () -> processes().isEmpty(), GONE_S);
        await("shared memory is left", () -> entries(shm).isEmpty(), GONE_S);
        await("temporary files are left", () -> entries(temporary).isEmpty(), GONE_S);
    }

    static List<Path> entries(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void await(String problem, BooleanSupplier condition) {
        await(problem, condition, Running.DEADLINE_S);
    }

    private void await(String problem, BooleanSupplier condition, long seconds) {
        await(problem, condition, seconds, MOST_PAUSE_NS);
    }

    /** The same where the test is about the moment: looks often, however long it takes. */
    void awaitMoment(String problem, BooleanSupplier condition) {
        await(problem, condition, Running.DEADLINE_S, LEAST_PAUSE_NS);
    }

    /** A look may cost as much as a process: the longer one waits, the less it matters to know at once. */
    private void await(String problem, BooleanSupplier condition, long seconds, long mostPauseNs) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waitedNs = System.nanoTime() - startNs;
            if (waitedNs > TimeUnit.SECONDS.toNanos(seconds)) {
                throw new AssertionError(problem + " after " + seconds + " s: "
                    + processes().stream().map(p -> p.pid() + " " + ProcessFiles.of(p).commandLine()).toList()
                    + entries(shm) + entries(temporary) + "\n" + started);
            }
            LockSupport.parkNanos(Math.clamp(waitedNs / 10, LEAST_PAUSE_NS, mostPauseNs));
        }
    }

    static void signal(String name, long pid) {
        signal(name, Long.toString(pid));
    }

    /** To several, whose numbers are separated by blanks; those that have gone do not matter. */
    static void signal(String name, String pids) {
        try {
            Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + pids).start();
            assertEquals(true, kill.waitFor(Running.DEADLINE_S, TimeUnit.SECONDS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whatever a failed test has left is ended and removed. */
    @Override
    public void close() {
        processes().forEach(ProcessHandle::destroyForcibly);
        started.forEach(running -> LoggedErrors.scan("process " + running.pid(), running.said()));
        for (Path directory : List.of(shm, work)) {
            try (Stream<Path> tree = Files.walk(directory)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
