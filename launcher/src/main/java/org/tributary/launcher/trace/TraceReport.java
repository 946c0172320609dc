package org.tributary.launcher.trace;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What the traces of a job say.
 *
 * @param lines    the summary; empty when no trace can be read
 * @param problems files that cannot be read, or not completely
 */
public record TraceReport(List<String> lines, List<String> problems) {
    /**
     * Reads the traces of one job and writes them as JSON for Perfetto.
     *
     * @throws IOException when {@code json} cannot be written; what was there stays then
     */
    public static TraceReport make(String job, List<Path> paths, Path json) throws IOException {
        List<TraceFile> files = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Path path : paths) {
            try {
                TraceFile file = TraceFile.read(path);
                problems.addAll(file.problems());
                files.add(file);
            } catch (IOException e) {
                problems.add(e.getMessage());
            }
        }
        if (files.isEmpty()) {
            return new TraceReport(List.of(), problems);
        }
        files.sort((one, other) -> Integer.compare(one.rank(), other.rank()));
        Timeline timeline = new Timeline(files);
        write(job, files, timeline, json);
        return new TraceReport(SummaryText.of(job, files, new Summary(files), timeline), problems);
    }

    private static void write(String job, List<TraceFile> files, Timeline timeline, Path json) throws IOException {
        Path folder = json.toAbsolutePath().getParent();
        Path part = Files.createTempFile(folder, "." + json.getFileName(), ".part");
        try {
            try (Writer out = Files.newBufferedWriter(part)) {
                ChromeTrace.write(job, files, timeline, out);
            }
            Files.move(part, json, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
