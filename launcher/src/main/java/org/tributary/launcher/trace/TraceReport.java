package org.tributary.launcher.trace;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Report on the traces of a job.
 *
 * @param lines    the summary; empty when no trace can be read
 * @param problems files that cannot be read, or not completely
 */
public record TraceReport(List<String> lines, List<String> problems) {
    /**
     * Reads the traces of one job and writes them as JSON for Perfetto.
     *
     * @param progress is told of how many files all records have been read, each time that one has been opened
     * @throws IOException when {@code json} cannot be written; a file that was there stays then
     */
    public static TraceReport make(String job, List<Path> paths, Path json, IntConsumer progress)
        throws IOException {
        return WholeFile.write(json, out -> make(job, paths, out, progress), report -> !report.lines.isEmpty());
    }

    /** The first page of each file comes first, for the timeline; then the files, one in memory at a time. */
    static TraceReport make(String job, List<Path> paths, Writer out, IntConsumer progress) throws IOException {
        List<String> problems = new ArrayList<>();
        List<TraceFile> found = new ArrayList<>();
        for (Path path : paths) {
            try {
                found.add(TraceFile.read(path));
            } catch (IOException e) {
                problems.add(e.getMessage());
            }
            progress.accept(0);
        }
        found.sort(Comparator.comparingInt(TraceFile::rank));
        Timeline timeline = new Timeline(found, clocks(job, paths, problems));
        Summary summary = new Summary();
        ChromeTrace trace = new ChromeTrace(job, timeline, out);
        TraceRing records = new TraceRing();
        List<TraceFile> files = new ArrayList<>();
        for (int done = 0; done < found.size(); done++) {
            progress.accept(done);
            TraceFile file = found.get(done);
            try {
                records.load(file);
            } catch (IOException e) {
                problems.add(e.getMessage());
                continue;
            }
            problems.addAll(records.problems());
            files.add(file);
            summary.add(file, records);
            trace.add(file, records);
        }
        trace.end();
        return new TraceReport(files.isEmpty() ? List.of() : SummaryText.of(job, files, summary, timeline), problems);
    }

    private static Clocks clocks(String job, List<Path> paths, List<String> problems) {
        try {
            return Clocks.read(paths.getFirst().toAbsolutePath().getParent(), job);
        } catch (IOException e) {
            problems.add(e.getMessage());
            return Clocks.NONE;
        }
    }
}
