package org.tributary.benchmarks.measure;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Processor time of a process in nanoseconds, from {@code /proc/<pid>/task/<tid>/schedstat} (Linux, proc(5)): the
 * times of {@code /proc/<pid>/stat} come in steps of 10 ms, too coarse for a process that should use less than that a
 * second.
 */
public final class CpuTime {
    private CpuTime() {
    }

    /** Of all threads that live; what ended threads used is not in it. */
    public static long ofProcess(long pid) throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                sum += ofThread(thread.resolve("schedstat"));
            }
        }
        return sum;
    }

    private static long ofThread(Path schedstat) throws IOException {
        try {
            String line = Files.readString(schedstat);
            return Long.parseLong(line.substring(0, line.indexOf(' ')));
        } catch (NoSuchFileException e) {
            return 0; // ended since it was listed
        }
    }
}
