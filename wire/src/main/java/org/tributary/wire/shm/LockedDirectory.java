package org.tributary.wire.shm;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.tributary.config.HostFacts;
import org.tributary.config.ProcessFiles;
import org.tributary.config.Shortage;

/**
 * A directory (mode 0700, no directories in it) that one process owns for as long as it lives, in a place that all
 * users share. The process holds a lock on a file in it, which the kernel releases however the process ends: a
 * directory whose lock is free is stale, and the next process that sweeps removes it. Thread-safe.
 */
public final class LockedDirectory implements AutoCloseable {
    /** Beginning of the name of the file whose lock says that the owner lives; its process follows. */
    public static final String LOCK_PREFIX = "lock-";

    /** A directory without a lock may be one whose owner is just making it. */
    private static final int UNLOCKED_IS_STALE_AFTER_S = 60;
    private static final int ATTEMPTS = 100;
    private static final int WRITABLE_BY_OTHERS = 0022;
    /** Of {@code /proc/<pid>/stat}: when the process started, in ticks since the machine did. */
    private static final int START_TICKS_FIELD = 22;

    private final Path path;
    private final FileChannel lock;

    private LockedDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Directories that a sweep has removed, and those that it could not, with reasons; never a reason to stop. */
    public record Swept(List<String> removed, List<String> problems) {
        public Swept {
            removed = List.copyOf(removed);
            problems = List.copyOf(problems);
        }
    }

    /**
     * Makes a directory and locks it until {@link #close}.
     *
     * @throws java.nio.file.FileAlreadyExistsException when there is one, of a living process or a dead one
     */
    public static LockedDirectory create(Path path) throws IOException {
        for (int attempt = 1;; attempt++) {
            try {
                return createOnce(path);
            } catch (NoSuchFileException e) {
                // A process that sweeps an old one of that name away may have taken the new one with it while it was
                // empty.
                if (attempt == ATTEMPTS || !Files.isDirectory(path.toAbsolutePath().getParent())) {
                    throw e;
                }
            }
        }
    }

    private static LockedDirectory createOnce(Path path) throws IOException {
        Files.createDirectory(path,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        FileChannel channel = null;
        try {
            Path unnamed = path.resolve("starting");
            channel = FileChannel.open(unnamed, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            FileLock lock = channel.lock();
            if (!lock.isValid()) {
                throw new IOException("cannot lock " + path);
            }
            // Named only when locked: a sweep at this moment must not find it free and take it for stale.
            Files.move(unnamed, path.resolve(ownLockName()), StandardCopyOption.ATOMIC_MOVE);
            return new LockedDirectory(path, channel);
        } catch (IOException | RuntimeException e) {
            if (channel != null) {
                channel.close();
            }
            if (!(e instanceof NoSuchFileException)) { // then it is somebody else's by now, or nobody's
                remove(path);
            }
            throw e;
        }
    }

    public Path path() {
        return path;
    }

    /** The file whose lock this process holds. */
    public Path lockFile() {
        return path.resolve(ownLockName());
    }

    /** Whether there is a directory of this user that nobody else can change. */
    static boolean isOwn(Path directory) throws IOException {
        return findsOwnedBy(directory, ownUser());
    }

    /**
     * The text of a short file in a directory of this user that nobody else can change: of a regular one, and no link.
     *
     * @throws IOException when there is no such directory or file, or it has more than {@code mostBytes}
     */
    public static String readOwn(Path directory, String file, int mostBytes) throws IOException {
        if (!isOwn(directory)) {
            throw new IOException(directory + " is another user's, or others can write to it");
        }
        Path name = Path.of(file);
        try (SecureDirectoryStream<Path> opened = open(directory)) {
            if (!attributes(opened, name).isRegularFile()) {
                throw new IOException(directory.resolve(name) + " is no regular file"); // opening a pipe would wait
            }
            try (InputStream in = Channels.newInputStream(opened.newByteChannel(name,
                Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)))) {
                byte[] bytes = in.readNBytes(mostBytes + 1);
                if (bytes.length > mostBytes) {
                    throw new IOException(directory.resolve(name) + " has more than " + mostBytes + " bytes");
                }
                return new String(bytes, StandardCharsets.UTF_8);
            }
        }
    }

    /** Removes the directory with everything in it. */
    @Override
    public void close() throws IOException {
        try {
            remove(path);
        } finally {
            lock.close();
        }
    }

    /**
     * Removes what dead processes of this user have left in {@code parent}. Leaves alone: other names, other users'
     * directories, those that others may write to, symbolic links, directories that hold directories. Several may sweep
     * at once.
     */
    public static Swept sweep(Path parent, Pattern names) {
        return sweep(parent, names, ownUser());
    }

    /** Paths of the directories that a sweep would remove now, as far as they can be read. */
    public static List<String> stale(Path parent, Pattern names) {
        List<Path> candidates;
        try {
            candidates = entries(parent);
        } catch (IOException e) {
            return List.of();
        }
        return candidates.stream().filter(entry -> names.matcher(entry.getFileName().toString()).matches()
            && wouldBeRemoved(entry)).map(Path::toString).sorted().toList();
    }

    private static boolean wouldBeRemoved(Path entry) {
        try {
            if (!isOwn(entry)) {
                return false;
            }
            try (SecureDirectoryStream<Path> opened = open(entry)) {
                return isStale(opened);
            }
        } catch (IOException e) {
            return false; // somebody removes it at this moment
        }
    }

    static Swept sweep(Path parent, Pattern names, int user) {
        List<String> removed = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        List<Path> candidates = List.of();
        try {
            candidates = entries(parent);
        } catch (NoSuchFileException e) {
            return new Swept(removed, problems);
        } catch (IOException e) {
            problems.add("cannot list " + parent + ": " + Shortage.describe(e, parent));
        }
        for (Path entry : candidates) {
            try {
                if (names.matcher(entry.getFileName().toString()).matches() && findsOwnedBy(entry, user)
                    && removeIfStale(entry)) {
                    removed.add(entry.toString());
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                // Its owner or another sweep has removed it at this moment.
            } catch (IOException e) {
                problems.add("cannot remove " + entry + ": " + Shortage.describe(e, entry));
            }
        }
        return new Swept(removed, problems);
    }

    /**
     * Whether it is a directory of {@code user} that nobody else can change. Where its parent has the sticky bit,
     * nobody else can replace it either.
     */
    private static boolean findsOwnedBy(Path entry, int user) throws IOException {
        Map<String, Object> found = Files.readAttributes(entry, "unix:uid,mode,isDirectory", LinkOption.NOFOLLOW_LINKS);
        return (Boolean) found.get("isDirectory") && (Integer) found.get("uid") == user
            && ((Integer) found.get("mode") & WRITABLE_BY_OTHERS) == 0;
    }

    /** By now a new directory may have the name of one that was stale: what is looked at is what is removed. */
    private static boolean removeIfStale(Path directory) throws IOException {
        try (SecureDirectoryStream<Path> opened = open(directory)) {
            return isStale(opened) && remove(directory, opened);
        }
    }

    private static boolean isStale(SecureDirectoryStream<Path> directory) throws IOException {
        Instant modified = directory.getFileAttributeView(BasicFileAttributeView.class).readAttributes()
            .lastModifiedTime().toInstant();
        boolean hasLock = false;
        for (Path entry : entries(directory)) {
            if (attributes(directory, entry).isDirectory() || isLock(entry) && !isFree(directory, entry)) {
                return false;
            }
            hasLock |= isLock(entry);
        }
        return hasLock || modified.isBefore(Instant.now().minusSeconds(UNLOCKED_IS_STALE_AFTER_S));
    }

    private static boolean isLock(Path entry) {
        return entry.getFileName().toString().startsWith(LOCK_PREFIX);
    }

    private static BasicFileAttributes attributes(SecureDirectoryStream<Path> directory, Path entry)
        throws IOException {
        return directory.getFileAttributeView(entry, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .readAttributes();
    }

    private static boolean isFree(SecureDirectoryStream<Path> directory, Path file) throws IOException {
        // Not even opened when it is this process's own: closing the file would release its lock (fcntl locks).
        if (file.toString().equals(ownLockName()) || !attributes(directory, file).isRegularFile()) {
            return false; // opening a pipe would wait for a reader
        }
        try (FileChannel channel = (FileChannel) directory.newByteChannel(file,
            Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)); FileLock lock = channel.tryLock()) {
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // another thread sweeps, too
        }
    }

    /**
     * Removes a directory of this user and the files in it, the lock last, so that one that is removed in part is still
     * known to be stale. Several may do so at once; a new directory of the same name keeps its files.
     *
     * @return whether it was this call that removed the directory
     */
    public static boolean remove(Path directory) throws IOException {
        try {
            if (!isOwn(directory)) {
                return false;
            }
            try (SecureDirectoryStream<Path> opened = open(directory)) {
                return remove(directory, opened);
            }
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static boolean remove(Path directory, SecureDirectoryStream<Path> opened) throws IOException {
        List<Path> files = entries(opened);
        files.sort(Comparator.comparing(LockedDirectory::isLock));
        for (Path file : files) {
            try {
                opened.deleteFile(file);
            } catch (NoSuchFileException e) {
                // Another one removes it, too.
            }
        }
        try {
            return Files.deleteIfExists(directory);
        } catch (DirectoryNotEmptyException e) {
            return false; // a new one
        }
    }

    /** Opens a directory: what is done through the stream concerns this one, whatever has its name meanwhile. */
    private static SecureDirectoryStream<Path> open(Path directory) throws IOException {
        return (SecureDirectoryStream<Path>) Files.newDirectoryStream(directory); // on Linux it is one
    }

    /** Names. */
    private static List<Path> entries(SecureDirectoryStream<Path> directory) throws IOException {
        // A stream can be gone through once.
        try (SecureDirectoryStream<Path> again = directory.newDirectoryStream(Path.of("."),
            LinkOption.NOFOLLOW_LINKS)) {
            List<Path> names = new ArrayList<>();
            again.forEach(entry -> names.add(entry.getFileName()));
            return names;
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private static List<Path> entries(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            entries.forEach(found::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    private static int ownUser() {
        try {
            return HostFacts.user();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The time of the process's start tells it from a later one with the same number, which is the rule in containers,
     * where numbers begin anew with each.
     */
    private static String ownLockName() {
        return LOCK_PREFIX + ProcessHandle.current().pid() + "-" + ProcessFiles.own().stat(START_TICKS_FIELD);
    }
}
