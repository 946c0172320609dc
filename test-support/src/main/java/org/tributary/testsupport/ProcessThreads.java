package org.tributary.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The threads of other processes. */
public final class ProcessThreads {
    private ProcessThreads() {
    }

    /** Whether a process has one of that name, of which Linux keeps 15 characters. */
    public static boolean has(ProcessHandle process, String name) {
        List<Path> threads;
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            threads = tasks.toList();
        } catch (IOException | UncheckedIOException e) {
            return false; // it has ended
        }
        return threads.stream().anyMatch(thread -> isCalled(thread, name));
    }

    private static boolean isCalled(Path thread, String name) {
        try {
            return Files.readString(thread.resolve("comm")).strip().equals(name);
        } catch (IOException e) {
            return false; // the thread has ended
        }
    }
}
