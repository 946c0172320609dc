package org.tributary.wire.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The files of shared memory that a process has mapped, to find the one that somebody has truncated meanwhile: memory
 * beyond the new end of a file is gone, and the JVM tells of an access only by an {@link InternalError} that does not
 * say where, from the access itself or from any call after it. A file that has been deleted keeps its memory.
 * Thread-safe.
 */
public final class MappedFiles {
    private final Map<Path, Long> lengths = new TreeMap<>();

    /** A file is mapped from now on, with so many bytes. */
    public synchronized void add(Path file, long bytes) {
        lengths.put(file, bytes);
    }

    /** A file is not used any more. */
    public synchronized void remove(Path file) {
        lengths.remove(file);
    }

    /** A message for the operator about a file that was truncated; null when all are as they were. */
    public String problem() {
        for (Map.Entry<Path, Long> mapped : copy().entrySet()) {
            long now = size(mapped.getKey());
            if (now >= 0 && now < mapped.getValue()) {
                return mapped.getKey() + " was truncated while the job uses it: it has " + now + " bytes, not "
                    + mapped.getValue() + "; keep other programs away from " + mapped.getKey().getParent()
                    + " and run the job again";
            }
        }
        return null;
    }

    private synchronized Map<Path, Long> copy() {
        return new TreeMap<>(lengths);
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return -1; // deleted: its memory stays
        }
    }
}
