package org.tributary.launcher.trace;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tributary.config.Shortage;
import org.tributary.wire.shm.TraceLayout;

/** A folder with the traces of ranks: what keeps ranks of this machine from recording there, and whose it has. */
public final class TraceFolder {
    private TraceFolder() {
    }

    /** Makes the folder if there is none; what would keep so many ranks from recording in it, if anything. */
    public static Optional<String> problem(Path folder, int ranks) {
        try {
            Files.createDirectories(folder);
            if (!Files.isWritable(folder)) {
                return Optional.of("may not write to " + folder + " (--trace)");
            }
            long needed = ranks * TraceLayout.fileBytes();
            long free = Files.getFileStore(folder).getUsableSpace();
            return free >= needed ? Optional.empty() : Optional.of("has " + (free >> 20) + " MiB free in " + folder
                + ", and the traces of " + ranks + " ranks take " + (needed >> 20)
                + " MiB; free some or name another folder (--trace)");
        } catch (FileAlreadyExistsException e) {
            return Optional.of("cannot use the folder " + folder + " for traces (--trace): it is no folder");
        } catch (IOException e) {
            return Optional.of("cannot use the folder " + folder + " for traces (--trace): "
                + Shortage.describe(e, folder));
        }
    }

    /**
     * The files of each job in a folder, by its id.
     *
     * @throws IOException when the folder cannot be read
     */
    public static Map<String, List<Path>> jobs(Path folder) throws IOException {
        Map<String, List<Path>> jobs = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                TraceLayout.jobOf(file).ifPresent(job ->
                    jobs.computeIfAbsent(job, first -> new ArrayList<>()).add(file));
            }
        }
        return jobs;
    }

    /** The ranks of a job that are not among those found, in ascending order. */
    static List<Integer> missing(List<TraceFile> files) {
        BitSet found = new BitSet();
        files.forEach(file -> found.set(file.rank()));
        return IntStream.range(0, files.getFirst().ranks()).filter(rank -> !found.get(rank)).boxed().toList();
    }
}
