package org.tributary.launcher.trace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A text file that is written whole: whoever reads it finds all, or what was there before. What is no regular file,
 * such as a device or a queue, is written as it comes, and stays what it is.
 */
final class WholeFile {
    private static final String SUFFIX = ".part";
    private static final int UUID_LETTERS = 36;
    private static final int OWN_LETTERS = 19;
    /** How the UUIDs of all parts begin that this process writes. */
    private static final String OWN = UUID.randomUUID().toString().substring(0, OWN_LETTERS);

    private WholeFile() {
    }

    /** Locks a file; null when another process has locked it. */
    interface Locks {
        FileLock tryLock(FileChannel file) throws IOException;
    }

    /** Writes the text, and says how that went. */
    interface Content<T> {
        T write(Writer out) throws IOException;
    }

    /**
     * Writes a file, or the one that a symbolic link leads to. It has the mode of the one before, or that of any new
     * file.
     *
     * @param isGood whether the file is to be replaced, when its text has been written
     */
    static <T> T write(Path file, Content<T> content, Predicate<T> isGood) throws IOException {
        return write(file, content, isGood, FileChannel::tryLock);
    }

    static <T> T write(Path file, Content<T> content, Predicate<T> isGood, Locks locks) throws IOException {
        Path target = Files.isRegularFile(file) ? file.toRealPath() : file;
        if (Files.isSymbolicLink(target) || Files.exists(target) && !Files.isRegularFile(target) || isStream(file)) {
            try (Writer out = Files.newBufferedWriter(file)) {
                return content.write(out);
            }
        }
        removeLeft(target, locks);
        try (Part part = Part.of(target, locks)) {
            // Not closed before the part is in its place: others may remove it as soon as its lock is gone.
            Writer out = Channels.newWriter(part.channel, StandardCharsets.UTF_8);
            T said = content.write(out);
            out.flush();
            if (isGood.test(said)) {
                part.replace(target);
            }
            return said;
        }
    }

    /**
     * What is written before it takes the place of a file. Locked until then, so that others know that it is no
     * remainder; where files cannot be locked, nobody removes one.
     */
    private static final class Part implements AutoCloseable {
        private final Path path;
        private final FileChannel channel;
        /** A signal ends the process without the end of this method: then a text of any size would stay, hidden. */
        private final Thread removal;

        private Part(Path path, FileChannel channel) {
            this.path = path;
            this.channel = channel;
            this.removal = new Thread(() -> remove(path), "tributary-part");
            try {
                Runtime.getRuntime().addShutdownHook(removal);
            } catch (IllegalStateException e) {
                // The process ends already; the next one that writes the file removes what is left.
            }
        }

        static Part of(Path target, Locks locks) throws IOException {
            while (true) {
                String uuid = OWN + UUID.randomUUID().toString().substring(OWN_LETTERS);
                Path path = target.resolveSibling(prefix(target) + uuid + SUFFIX);
                Part part = new Part(path,
                    FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
                if (part.isLocked(locks)) {
                    return part;
                }
                part.close();
            }
        }

        /** Whether others leave it alone: not when one has taken it for a remainder before it was locked. */
        private boolean isLocked(Locks locks) {
            try {
                return locks.tryLock(channel) != null && Files.exists(path);
            } catch (IOException e) {
                return true; // the file system has no locks: nobody can take it for a remainder
            }
        }

        void replace(Path target) throws IOException {
            channel.force(false); // a network file system may say only now that it is full
            if (Files.isRegularFile(target)) {
                Files.setPosixFilePermissions(path, Files.getPosixFilePermissions(target));
            }
            Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
        }

        @Override
        public void close() throws IOException {
            try (channel) {
                Files.deleteIfExists(path);
            }
            try {
                Runtime.getRuntime().removeShutdownHook(removal);
            } catch (IllegalStateException e) {
                // It runs.
            }
        }

        private static void remove(Path path) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                // The next process that writes the file removes it.
            }
        }
    }

    private static String prefix(Path target) {
        return "." + target.getFileName() + ".";
    }

    /** Removes what processes have left that were killed while they wrote this file. */
    private static void removeLeft(Path target, Locks locks) {
        List<Path> parts;
        try (Stream<Path> files = Files.list(target.toAbsolutePath().getParent())) {
            parts = files.filter(file -> mayBeLeft(file.getFileName().toString(), prefix(target))).toList();
        } catch (IOException | UncheckedIOException e) {
            return; // whether the file can be written, its writing tells
        }
        for (Path part : parts) {
            try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
                if (locks.tryLock(channel) != null) {
                    Files.deleteIfExists(part);
                }
            } catch (IOException | OverlappingFileLockException e) {
                // It has gone, is another user's, another thread removes it, or the file system has no locks: it stays.
            }
        }
    }

    /** Whether it is a part of another process; opening and closing an own one would release its lock (fcntl locks). */
    private static boolean mayBeLeft(String name, String prefix) {
        return name.startsWith(prefix) && !name.startsWith(prefix + OWN) && name.endsWith(SUFFIX)
            && name.length() == prefix.length() + UUID_LETTERS + SUFFIX.length();
    }

    /** Whether it names what a process has open, as {@code /dev/stdout} does, whatever that is. */
    private static boolean isStream(Path file) {
        Path path = file.toAbsolutePath().normalize();
        return path.startsWith("/dev/fd") || path.startsWith("/proc") || path.startsWith("/dev/stdout")
            || path.startsWith("/dev/stderr");
    }
}
