package org.tributary.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.tributary.wire.shm.NodeDirectory;

/** Making, removing and sweeping the directories of nodes in shared memory. Stateless and thread-safe. */
public final class NodeDirectories {
    /** A directory without a lock may be one whose server is just starting. */
    private static final Duration UNLOCKED_IS_STALE_AFTER = Duration.ofMinutes(1);

    /** Of {@code /proc/<pid>/stat}: when the process started, in ticks since the machine did. */
    private static final int START_TICKS_FIELD = 22;

    private NodeDirectories() {
    }

    /** Makes the directory, mode 0700, and locks it for as long as the returned channel is open. */
    static FileChannel create(NodeDirectory directory) throws IOException {
        Files.createDirectory(directory.path(),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try {
            Path unnamed = directory.path().resolve("starting");
            FileChannel channel = FileChannel.open(unnamed,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            FileLock lock = channel.lock();
            if (!lock.isValid()) {
                throw new IOException("cannot lock " + directory.path());
            }
            // Named only when locked: whoever sweeps at this moment must not find it free and take it for stale.
            Files.move(unnamed, ownLock(directory), StandardCopyOption.ATOMIC_MOVE);
            return channel;
        } catch (IOException | RuntimeException e) {
            remove(directory.path());
            throw e;
        }
    }

    /**
     * Removes what servers that are dead have left.
     *
     * @return the directories removed
     */
    public static List<String> sweep(Path shmDirectory) {
        List<String> removed = new ArrayList<>();
        try (Stream<Path> entries = Files.list(shmDirectory)) {
            for (Path entry : entries.toList()) {
                if (entry.getFileName().toString().startsWith(NodeDirectory.PREFIX) && isOwn(entry) && isStale(entry)) {
                    remove(entry);
                    removed.add(entry.toString());
                }
            }
        } catch (NoSuchFileException e) {
            return removed;
        } catch (IOException e) {
            throw new ServerException("cannot sweep " + shmDirectory + ": " + e.getMessage(), e);
        }
        return removed;
    }

    private static boolean isOwn(Path directory) {
        return Files.isDirectory(directory) && Files.isWritable(directory);
    }

    private static boolean isStale(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            Path lock = entries.filter(entry -> entry.getFileName().toString().startsWith(NodeDirectory.LOCK_PREFIX))
                .findFirst().orElse(null);
            if (lock == null) {
                Instant modified = Files.getLastModifiedTime(directory).toInstant();
                return modified.isBefore(Instant.now().minus(UNLOCKED_IS_STALE_AFTER));
            }
            // Not even opened when it is this process's own: closing the file would release its lock (fcntl locks).
            return !lock.equals(ownLock(new NodeDirectory(directory))) && canLock(lock);
        } catch (NoSuchFileException | java.io.UncheckedIOException e) {
            return false; // its server is removing it at this moment
        }
    }

    /** The lock of a directory that this process has made. */
    static Path ownLock(NodeDirectory directory) throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        // The second field, the command in parentheses, may hold spaces and parentheses of its own.
        String[] fromThirdOn = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return directory.lock(ProcessHandle.current().pid(), Long.parseLong(fromThirdOn[START_TICKS_FIELD - 3]));
    }

    private static boolean canLock(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock()) {
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Removes a directory and what is in it. */
    static void remove(Path directory) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> tree = Files.walk(directory)) {
            deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException e) {
            return;
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
