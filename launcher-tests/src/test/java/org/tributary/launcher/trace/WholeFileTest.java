package org.tributary.launcher.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are there whole or not at all, and what is left of them. */
class WholeFileTest {
    private static final WholeFile.Locks NONE = channel -> {
        throw new IOException("Function not implemented");
    };

    @TempDir
    private Path folder;

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static int writeInAnotherProcess(Path file) throws Exception {
        Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), Other.class.getName(), file.toString())
            .inheritIO().start();
        try {
            assertTrue(other.waitFor(250, TimeUnit.SECONDS));
            return other.exitValue();
        } finally {
            other.destroyForcibly();
        }
    }

    /** As Lustre without the option flock. */
    @Test
    void shouldWriteTheFileAndLeaveNoPartWhenTheFileSystemHasNoLocks() throws IOException {
        Path file = folder.resolve("out.json");
        assertEquals("said", WholeFile.write(file, out -> {
            out.append("all");
            return "said";
        }, said -> true, NONE));
        assertEquals("all", Files.readString(file));
        assertEquals(List.of("out.json"), names());
        assertThrows(IOException.class, () -> WholeFile.write(file, out -> {
            out.append("half");
            throw new IOException("the disk is full");
        }, said -> true, NONE));
        assertEquals("all", Files.readString(file));
        assertEquals(List.of("out.json"), names());
    }

    @Test
    void shouldRemoveWhatIsLeftOnlyWhenItCanBeLocked() throws IOException {
        String left = ".out.json.01234567-89ab-cdef-0123-456789abcdef.part";
        Files.writeString(folder.resolve(left), "half");
        Path file = folder.resolve("out.json");
        WholeFile.write(file, out -> out.append("all"), said -> true, NONE);
        assertEquals(List.of(left, "out.json"), names());
        WholeFile.write(file, out -> out.append("all"), said -> true, FileChannel::tryLock);
        assertEquals(List.of("out.json"), names());
    }

    /** A thread of this process and another process write the same file before the part has taken its place. */
    @Test
    void shouldKeepItsPartWhenOthersWriteTheSameFileMeanwhile() throws IOException {
        Path file = folder.resolve("out.json");
        WholeFile.write(file, out -> out.append("first"), said -> {
            try {
                WholeFile.write(file, out -> out.append("second"), again -> true);
                assertEquals(0, writeInAnotherProcess(file));
                assertEquals("third", Files.readString(file));
                return names().size() == 2;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        assertEquals("first", Files.readString(file));
        assertEquals(List.of("out.json"), names());
    }

    /** Writes a file. */
    static final class Other {
        private Other() {
        }

        public static void main(String[] args) throws IOException {
            WholeFile.write(Path.of(args[0]), out -> out.append("third"), said -> true);
        }
    }
}
