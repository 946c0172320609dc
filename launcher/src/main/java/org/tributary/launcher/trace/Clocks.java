package org.tributary.launcher.trace;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tributary.config.Shortage;

/**
 * How the clocks of a job's machines relate to that of its launcher, as its file {@code JOB.clocks} beside the traces
 * has it: a line for each reading, with boot_id of the machine, its CLOCK_MONOTONIC, what to add to that for the
 * launcher's, and by how much this may be wrong, in nanoseconds. Immutable.
 */
public final class Clocks {
    /** No readings. */
    static final Clocks NONE = new Clocks(List.of());

    private static final String TITLE = "tributary clocks 1";
    private static final String SUFFIX = ".clocks";
    private static final int MOST_BYTES = 64 << 20;
    /** Clocks run apart by less than one in so many; what seems more is error of the readings. */
    private static final long LEAST_SPAN_PER_DRIFT = 1000;

    private final Map<String, List<Reading>> readings;

    private Clocks(Collection<Reading> all) {
        readings = all.stream().sorted(Comparator.comparingLong(Reading::atNs))
            .collect(Collectors.groupingBy(Reading::boot, HashMap::new, Collectors.toList()));
    }

    /**
     * A comparison of a machine's clock with the launcher's.
     *
     * @param boot    boot_id of the machine
     * @param atNs    CLOCK_MONOTONIC of the machine
     * @param aheadNs how far the launcher's was ahead of it then
     * @param errorNs by how much that may be wrong
     */
    public record Reading(String boot, long atNs, long aheadNs, long errorNs) {
    }

    /** {@code JOB.clocks} in the folder of the traces; it need not exist. */
    static Path file(Path folder, String job) {
        return folder.resolve(job + SUFFIX);
    }

    /** Writes the file of a job whole: a reader sees all readings or the file of before. */
    public static void write(Path folder, String job, Collection<Reading> readings) throws IOException {
        List<String> lines = new ArrayList<>(List.of(TITLE));
        readings.forEach(each -> lines.add(each.boot + " " + each.atNs + " " + each.aheadNs + " " + each.errorNs));
        WholeFile.write(file(folder, job), out -> out.append(String.join("\n", lines)).append('\n'), written -> true);
    }

    /**
     * Reads the file of a job; there is none of a job on one host.
     *
     * @throws IOException when there is one that makes no sense
     */
    static Clocks read(Path folder, String job) throws IOException {
        Path file = file(folder, job);
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new IOException(file + " is damaged: it has " + Files.size(file) + " bytes");
            }
            List<String> lines = Files.readAllLines(file);
            if (lines.isEmpty() || !lines.getFirst().equals(TITLE)) {
                throw new IOException(file + " is damaged or of another release: line 1 is not '" + TITLE + "'");
            }
            List<Reading> all = new ArrayList<>();
            for (int i = 1; i < lines.size(); i++) {
                all.add(reading(lines.get(i), file + " is damaged: line " + (i + 1)));
            }
            return new Clocks(all);
        } catch (NoSuchFileException e) {
            return NONE;
        } catch (CharacterCodingException e) {
            throw new IOException(file + " is damaged: it is no text", e);
        } catch (FileSystemException e) {
            throw new IOException("cannot read " + file + ": " + Shortage.describe(e, file), e);
        }
    }

    private static Reading reading(String line, String where) throws IOException {
        String[] words = line.split(" ");
        try {
            if (words.length == 4) {
                Reading reading = new Reading(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]),
                    Long.parseLong(words[3]));
                if (reading.atNs >= 0 && reading.errorNs >= 0) {
                    return reading;
                }
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IOException(where + " is no reading of a clock");
    }

    boolean has(String boot) {
        return readings.containsKey(boot);
    }

    /** By how much times of a machine may be wrong; there is a reading of it. */
    long errorNs(String boot) {
        return readings.get(boot).stream().mapToLong(Reading::errorNs).max().orElseThrow();
    }

    /** The launcher's CLOCK_MONOTONIC at a time of a machine's; between two readings, on the line through both. */
    long ofLauncher(String boot, long ns) {
        List<Reading> all = readings.get(boot);
        Reading first = all.getFirst();
        Reading last = all.getLast();
        long spanNs = last.atNs - first.atNs;
        long driftNs = last.aheadNs - first.aheadNs;
        if (spanNs == 0 || Math.abs(driftNs) > spanNs / LEAST_SPAN_PER_DRIFT) {
            return ns + (first.errorNs < last.errorNs ? first : last).aheadNs;
        }
        double part = Math.clamp((double) (ns - first.atNs) / spanNs, 0, 1);
        return ns + first.aheadNs + Math.round(driftNs * part);
    }
}
