package org.tributary.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stops other processes. SIGSTOP alone does so later: Linux gives it to one thread of a process, and the others run on
 * until that one, which may wait for a processor, takes it (signal(7)).
 */
public final class Stopping {
    /** For a hang. */
    private static final long DEADLINE_S = 250;

    private Stopping() {
    }

    /** Sends SIGSTOP and waits until no thread of the processes runs any more. */
    public static void stop(long... pids) throws IOException, InterruptedException {
        signal("STOP", pids);
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        for (long pid : pids) {
            while (!isStopped(pid)) {
                if (System.nanoTime() > deadlineNs) {
                    throw new IOException("process " + pid + " is not stopped after " + DEADLINE_S + " s");
                }
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    /** Lets them go on, by SIGCONT. */
    public static void goOn(long... pids) throws IOException, InterruptedException {
        signal("CONT", pids);
    }

    private static void signal(String name, long... pids) throws IOException, InterruptedException {
        String kill = "kill -" + name + Arrays.stream(pids).mapToObj(pid -> " " + pid).collect(Collectors.joining());
        int code = new ProcessBuilder("/bin/sh", "-c", kill).start().waitFor();
        if (code != 0) {
            throw new IOException(kill + " ends with " + code);
        }
    }

    /** Whether all threads of a process are stopped. */
    public static boolean isStopped(long pid) {
        List<Path> threads;
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            threads = tasks.toList();
        } catch (IOException | UncheckedIOException e) {
            return false; // it has ended
        }
        return !threads.isEmpty() && threads.stream().allMatch(Stopping::isThreadStopped);
    }

    private static boolean isThreadStopped(Path thread) {
        try {
            return Files.readString(thread.resolve("status")).contains("\nState:\tT ");
        } catch (IOException e) {
            return false; // it has just ended
        }
    }
}
