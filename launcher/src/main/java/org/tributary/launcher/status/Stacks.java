package org.tributary.launcher.status;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;
import org.tributary.wire.libc.CFunction;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.ProcessState;

/**
 * Where the threads of a rank are: of Java by {@code jcmd} of the JDK in use, of C by a {@link Debugger} where one is
 * installed. A program that takes too long is ended; the rank goes on in any case: no debugger attaches to one that
 * takes no signals, and one that is ended leaves no stop behind.
 */
public final class Stacks {
    private static final int MAX_LINES = 60;
    private static final int MAX_FRAMES = 25;
    private static final int SIGCONT = 18;
    private static final long LAST_WAIT_S = 1;
    private static final long SHORT_WAIT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Prefixes of the names of threads that belong to the JVM or to the runtime. */
    private static final List<String> NOT_USERS = List.of("Reference Handler", "Finalizer", "Signal Dispatcher",
        "Service Thread", "Monitor Deflation Thread", "Notification Thread", "Common-Cleaner", "Attach Listener",
        "tributary");

    private final long limitNs;

    /** Each stack is there within the limit, or it is said that it is not. */
    Stacks(long limitNs) {
        this.limitNs = limitNs;
    }

    /**
     * The stacks of ranks of this machine in lines, by rank; all are taken at once.
     *
     * @param limitNs how long to wait for each
     */
    public static Map<Integer, List<String>> of(Collection<Rank> ranks, long limitNs) {
        Map<Integer, List<String>> stacks = new ConcurrentHashMap<>();
        Stacks source = new Stacks(limitNs);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ranks.forEach(rank -> threads.execute(() ->
                stacks.put(rank.rank(), source.of(rank.pid(), rank.process()))));
        }
        return stacks;
    }

    /** The stacks of a process in lines; one line that says why there are none. */
    List<String> of(long pid, ProcessState state) {
        if (!state.isActive()) {
            return List.of("no stack: the process " + state.words());
        }
        String maps = state == ProcessState.LIVES ? "" : ProcessFiles.of(pid).text("maps"); // another's may be there
        if (maps.isEmpty()) {
            return List.of("no stack: process " + pid + " cannot be seen from here");
        }
        return maps.contains("/libjvm.so") ? ofJava(pid) : ofNative(pid);
    }

    private List<String> ofJava(long pid) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            return List.of("no stack: this Java has no jcmd; 'jcmd " + pid + " Thread.print' of a JDK prints it");
        }
        List<String> lines = run("jcmd", pid, false, List.of(jcmd.toString(), Long.toString(pid), "Thread.print"))
            .map(Stacks::ofThreads).orElseGet(() -> noAnswer("jcmd " + pid + " Thread.print"));
        AttachSocket.removeOf(pid); // it may have been killed meanwhile
        return lines;
    }

    private List<String> ofNative(long pid) {
        Optional<String> place = awaitUninterruptible(pid);
        if (place.isPresent()) {
            return List.of("no stack: a thread waits in the kernel" + place.get() + ", where it cannot be interrupted:"
                + " for a disk, a network file system, or the like");
        }
        for (Debugger debugger : Debugger.values()) {
            String program = debugger.program();
            if (isInstalled(program)) {
                return run(program, pid, true, debugger.command(pid, MAX_FRAMES)).map(lines -> frames(lines, program))
                    .orElseGet(() -> noAnswer(program + " -p " + pid));
            }
        }
        String function = inKernel(ProcessFiles.of(pid));
        return List.of("no stack of a program in C: install " + Debugger.packages()
            + (function.isEmpty() ? "" : "; in the kernel it is" + function));
    }

    /** Looks for a while: most such waits are short. */
    private Optional<String> awaitUninterruptible(long pid) {
        long untilNs = System.nanoTime() + Math.min(limitNs, SHORT_WAIT_NS);
        Optional<String> place = uninterruptible(pid);
        while (place.isPresent() && System.nanoTime() - untilNs < 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(LOOK_NS);
            place = uninterruptible(pid);
        }
        return place;
    }

    /**
     * Where a thread of a process is in the kernel when it takes no signals there, not even that by which debuggers
     * stop it; empty when there is no such thread.
     */
    private static Optional<String> uninterruptible(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return threads.map(thread -> ProcessFiles.of(Long.parseLong(thread.getFileName().toString())))
                .filter(thread -> thread.stat(ProcessFiles.STATE).equals("D")).map(Stacks::inKernel).findFirst();
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty(); // it has ended, which the debugger says
        }
    }

    private static String inKernel(ProcessFiles thread) {
        String function = thread.text("wchan");
        return function.isEmpty() || function.equals("0") ? "" : " in " + function;
    }

    private List<String> noAnswer(String command) {
        return List.of("no stack: the process has not answered within " + TimeUnit.NANOSECONDS.toMillis(limitNs) / 1e3
            + " s ('" + command + "')");
    }

    private static boolean isInstalled(String program) {
        String path = System.getenv("PATH");
        return path != null && Stream.of(path.split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** The threads of a program that have frames of Java, the main one first. */
    static List<String> ofThreads(List<String> lines) {
        List<List<String>> threads = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("\"")) {
                threads.add(new ArrayList<>(List.of(line.substring(0, line.indexOf('"', 1) + 1))));
            } else if (!threads.isEmpty() && line.startsWith("\tat ") && threads.getLast().size() <= MAX_FRAMES) {
                threads.getLast().add("  " + line.strip());
            }
        }
        List<String> chosen = new ArrayList<>();
        threads.stream().filter(thread -> thread.size() > 1 && isUsers(thread.getFirst()))
            .sorted((one, other) -> Boolean.compare(isMain(other), isMain(one))).forEach(chosen::addAll);
        return chosen.isEmpty() ? saying("jcmd", lines) : limited(chosen);
    }

    private static boolean isMain(List<String> thread) {
        return thread.getFirst().equals("\"main\"");
    }

    private static boolean isUsers(String name) {
        return NOT_USERS.stream().noneMatch(prefix -> name.startsWith("\"" + prefix));
    }

    private static List<String> frames(List<String> lines, String program) {
        List<String> frames = lines.stream().filter(line -> line.startsWith("#") || line.startsWith("Thread ")
            || line.startsWith("TID ")).map(line -> line.startsWith("#") ? "  " + line : line).toList();
        return frames.isEmpty() ? saying(program, lines) : limited(frames);
    }

    /** It has not told what it was asked for, and may say why. */
    private static List<String> saying(String program, List<String> lines) {
        return List.of("no stack: " + program + " says " + (lines.isEmpty() ? "nothing" : "'" + lines.getLast() + "'"));
    }

    private static List<String> limited(List<String> lines) {
        return lines.size() <= MAX_LINES ? lines : lines.subList(0, MAX_LINES);
    }

    /**
     * Output of a program; empty when it does not end in time.
     *
     * @param attaches whether it is a debugger, which stops the process
     */
    private Optional<List<String>> run(String name, long pid, boolean attaches, List<String> command) {
        Process process = null;
        Path output = null;
        try {
            output = Files.createTempFile("tributary-" + name, ".txt"); // a pipe might fill up, and nobody read
            try (InputStream text = Files.newInputStream(output)) {
                ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(output.toFile()).redirectInput(new File("/dev/null"));
                List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
                    .forEach(builder.environment()::remove);
                process = builder.start();
                remove(output); // both have it open; this process may be ended while it waits
                if (!process.waitFor(limitNs, TimeUnit.NANOSECONDS)) {
                    end(process, attaches ? pid : 0);
                    return Optional.empty();
                }
                return Optional.of(new String(text.readAllBytes(), StandardCharsets.UTF_8).lines()
                    .filter(line -> !line.isBlank()).toList());
            }
        } catch (IOException e) {
            return Optional.of(List.of("cannot run " + name + " for process " + pid + ": " + e.getMessage()));
        } catch (InterruptedException e) {
            end(process, attaches ? pid : 0);
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            remove(output);
        }
    }

    /**
     * Kills a program. A debugger sends SIGSTOP to what it attaches to (ptrace(2)); killed before it has taken that
     * stop, it leaves it behind, and a process that took no signals just then would stop later, for good. SIGCONT
     * discards the signal at once, and does nothing to a process that was not stopped.
     *
     * @param attachedTo the process that a debugger attaches to, which was not stopped before; 0 for another program
     */
    static void end(Process program, long attachedTo) {
        CompletableFuture<Void> ended = program.destroyForcibly().onExit().thenRun(() -> {
            if (attachedTo != 0) {
                CFunction.of("kill").call(attachedTo, SIGCONT);
            }
        });
        ended.copy().completeOnTimeout(null, LAST_WAIT_S, TimeUnit.SECONDS).join(); // also where it is interrupted
    }

    private static void remove(Path output) {
        try {
            if (output != null) {
                Files.deleteIfExists(output);
            }
        } catch (IOException e) {
            // It is in the temporary directory, which is cleaned some day.
        }
    }
}
