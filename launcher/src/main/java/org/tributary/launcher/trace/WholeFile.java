package org.tributary.launcher.trace;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * A text file that is written whole: whoever reads it finds all, or what was there before. What is no regular file,
 * such as a device or a queue, is written as it comes, and stays what it is.
 */
final class WholeFile {
    private WholeFile() {
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
        Path target = Files.isRegularFile(file) ? file.toRealPath() : file;
        if (Files.isSymbolicLink(target) || Files.exists(target) && !Files.isRegularFile(target) || isStream(file)) {
            try (Writer out = Files.newBufferedWriter(file)) {
                return content.write(out);
            }
        }
        Path part = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            T said;
            try (Writer out = Files.newBufferedWriter(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                said = content.write(out);
            }
            if (isGood.test(said)) {
                if (Files.isRegularFile(target)) {
                    Files.setPosixFilePermissions(part, Files.getPosixFilePermissions(target));
                }
                Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            }
            return said;
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Whether it names what a process has open, as {@code /dev/stdout} does, whatever that is. */
    private static boolean isStream(Path file) {
        Path path = file.toAbsolutePath().normalize();
        return path.startsWith("/dev/fd") || path.startsWith("/proc") || path.startsWith("/dev/stdout")
            || path.startsWith("/dev/stderr");
    }
}
