package org.tributary.launcher.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Pattern;
import org.tributary.wire.shm.LockedDirectory;

/**
 * The job's private temporary directory, which holds the servers' addresses. The launcher keeps it
 * locked: one whose lock is free belongs to a launcher that has died, and the next one removes it.
 */
public final class JobFiles implements AutoCloseable {
    private static final String PREFIX = "tributary-job-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "[A-Za-z0-9._-]{1,32}");
    private static final String SERVERS = "servers";

    private final LockedDirectory directory;

    private JobFiles(LockedDirectory directory) {
        this.directory = directory;
    }

    static JobFiles create(String jobId) throws IOException {
        return new JobFiles(LockedDirectory.create(parent().resolve(PREFIX + jobId)));
    }

    Path serversFile() {
        return directory.path().resolve(SERVERS);
    }

    /** At once or not at all, as servers are reading it already. */
    void writeServers(List<String> addresses) throws IOException {
        Path unfinished = directory.path().resolve(SERVERS + ".new");
        Files.write(unfinished, addresses);
        Files.move(unfinished, serversFile(), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        directory.close();
    }

    /** The directory of a job whose launcher has died; several servers may remove it at the same time. */
    public static void removeOf(String jobId) {
        try {
            LockedDirectory.remove(parent().resolve(PREFIX + jobId));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes what launchers of this user that were killed have left. */
    public static LockedDirectory.Swept sweep() {
        return LockedDirectory.sweep(parent(), NAME);
    }

    private static Path parent() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }
}
