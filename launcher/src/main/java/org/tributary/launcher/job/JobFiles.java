package org.tributary.launcher.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The job's private temporary directory, which holds the servers' addresses. The launcher keeps a lock on a file in it:
 * a directory whose lock is free belongs to a launcher that has died, and the next one removes it.
 */
public final class JobFiles implements AutoCloseable {
    private static final String PREFIX = "tributary-job-";
    private static final String LOCK = "launcher.lock";
    private static final String SERVERS = "servers";

    private final Path directory;
    private final FileChannel lock;

    private JobFiles(Path directory, FileChannel lock) {
        this.directory = directory;
        this.lock = lock;
    }

    static JobFiles create(String jobId) throws IOException {
        Path directory = parent().resolve(PREFIX + jobId);
        // Takes its name only when locked, so that a sweep never finds it without a lock.
        Path unnamed = parent().resolve("." + PREFIX + jobId);
        Files.createDirectory(unnamed,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        FileChannel lock = FileChannel.open(unnamed.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        lock.lock();
        Files.move(unnamed, directory, StandardCopyOption.ATOMIC_MOVE);
        return new JobFiles(directory, lock);
    }

    Path serversFile() {
        return directory.resolve(SERVERS);
    }

    /** At once or not at all, as servers are reading it already. */
    void writeServers(List<String> addresses) throws IOException {
        Path unfinished = directory.resolve(SERVERS + ".new");
        Files.write(unfinished, addresses);
        Files.move(unfinished, serversFile(), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        delete(directory);
        lock.close();
    }

    /** The directory of a job whose launcher has died; several servers may remove it at the same time. */
    public static void removeOf(String jobId) {
        try {
            delete(parent().resolve(PREFIX + jobId));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes what launchers that were killed have left, and says what that was. */
    public static List<Path> sweep() {
        List<Path> removed = new ArrayList<>();
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(parent(), PREFIX + "*")) {
            for (Path directory : directories) {
                if (isAbandoned(directory)) {
                    delete(directory);
                    removed.add(directory);
                }
            }
        } catch (IOException e) {
            // Another user's directory, or one that another launcher is removing: theirs to deal with.
        }
        return removed;
    }

    private static boolean isAbandoned(Path directory) throws IOException {
        if (!Files.isWritable(directory)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(directory.resolve(LOCK), StandardOpenOption.WRITE);
             FileLock free = channel.tryLock()) {
            return free != null;
        } catch (NoSuchFileException e) {
            return true; // half removed
        } catch (OverlappingFileLockException e) {
            return false; // a job of this very JVM
        }
    }

    private static void delete(Path directory) throws IOException {
        for (String name : List.of(SERVERS + ".new", SERVERS, LOCK)) {
            Files.deleteIfExists(directory.resolve(name));
        }
        Files.deleteIfExists(directory);
    }

    private static Path parent() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }
}
