package org.tributary.wire.shm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/**
 * Description of a segment that a node's server writes beside the segment's file, for processes that look at the job
 * from outside: its kind, and which ranks of the node have how many bytes of it.
 *
 * <pre>
 *   MUTEXES
 *   0 64          rank, bytes
 *   1 0
 *   end
 * </pre>
 */
public record SegmentParts(SegmentKind kind, SegmentLayout layout) {
    private static final String END = "end";
    /** More would be no note of a server. */
    private static final long MAX_BYTES = 1 << 22;

    /** Writes the note; without it the job goes on as well, so no problem is told. */
    public void write(Path file) {
        StringBuilder text = new StringBuilder(kind.name()).append('\n');
        for (int part = 0; part < layout.partCount(); part++) {
            text.append(layout.rank(part)).append(' ').append(layout.length(part)).append('\n');
        }
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, text.append(END).append('\n'), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            // The mount may be full; a note that is cut off has no end and counts as none.
        }
    }

    /** The note in a file; empty when there is none, or none that is complete. */
    public static Optional<SegmentParts> read(Path file) {
        try (OpenFile open = OpenFile.of(file)) {
            long bytes = open.size();
            if (bytes > MAX_BYTES) {
                return Optional.empty();
            }
            List<String> lines = List.of(new String(open.read(0, (int) bytes).array(), StandardCharsets.US_ASCII)
                .split("\n"));
            int parts = lines.size() - 2;
            if (parts < 0 || !lines.getLast().equals(END)) {
                return Optional.empty();
            }
            int[] ranks = new int[parts];
            long[] lengths = new long[parts];
            for (int part = 0; part < parts; part++) {
                String line = lines.get(part + 1);
                int space = line.indexOf(' ');
                ranks[part] = Integer.parseInt(line.substring(0, space));
                lengths[part] = Long.parseLong(line.substring(space + 1));
            }
            return Optional.of(new SegmentParts(SegmentKind.valueOf(lines.getFirst()),
                new SegmentLayout(ranks, lengths)));
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
            return Optional.empty();
        }
    }
}
