package org.tributary.benchmarks.measure;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.tributary.config.ProcessFiles;

/** Processor time of a process in nanoseconds, from {@code /proc/<pid>/task/<tid>/schedstat}. */
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
            return ProcessFiles.processorNs(schedstat);
        } catch (NoSuchFileException e) {
            return 0; // ended since it was listed
        }
    }
}
