package org.tributary.benchmarks.measure;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.tributary.config.ProcessFiles;

/** Processor time of the threads of a process at one moment, from {@code /proc/<pid>/task/<tid>/schedstat}. */
public final class CpuTime {
    private final Map<String, Long> nsOfThreads;

    private CpuTime(Map<String, Long> nsOfThreads) {
        this.nsOfThreads = nsOfThreads;
    }

    /** Of all threads that live. */
    public static CpuTime ofProcess(long pid) throws IOException {
        return ofThreads(pid, "");
    }

    /** Of those whose names begin so, of which Linux knows the first 15 letters. */
    public static CpuTime ofThreads(long pid, String name) throws IOException {
        Map<String, Long> nsOfThreads = new HashMap<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                try {
                    if (name.isEmpty() || Files.readString(thread.resolve("comm")).startsWith(name)) {
                        nsOfThreads.put(thread.getFileName().toString(),
                            ProcessFiles.processorNs(thread.resolve("schedstat")));
                    }
                } catch (NoSuchFileException e) {
                    continue; // ended since it was listed
                }
            }
        }
        return new CpuTime(nsOfThreads);
    }

    /**
     * What has been used since an earlier moment, in nanoseconds, by threads that live now. What one has used that has
     * ended meanwhile is not known; what it had used before takes nothing off the others' time.
     */
    public long since(CpuTime before) {
        long sum = 0;
        for (Map.Entry<String, Long> thread : nsOfThreads.entrySet()) {
            long earlier = before.nsOfThreads.getOrDefault(thread.getKey(), 0L);
            // Less than before: another thread that has got the number of one that has ended.
            sum += thread.getValue() < earlier ? thread.getValue() : thread.getValue() - earlier;
        }
        return sum;
    }
}
