package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that is read without mapping it. */
class OpenFileTest {
    @TempDir
    private Path directory;

    private Path file(int... bytes) throws IOException {
        byte[] content = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            content[i] = (byte) bytes[i];
        }
        return Files.write(directory.resolve("größe"), content);
    }

    @Test
    void shouldReadPiecesWhenTheyAreThereAndLessWhenFileEnds() throws IOException {
        try (OpenFile file = OpenFile.of(file(1, 2, 3, 4, 5))) {
            assertEquals(5, file.size());
            assertArrayEquals(new byte[] {2, 3}, file.read(1, 2).array());
            assertArrayEquals(new byte[] {1, 2, 3, 4, 5}, file.read(0, 100).array());
            assertArrayEquals(new byte[0], file.read(7, 2).array());
            assertArrayEquals(new byte[0], file.read(0, 0).array());
            assertArrayEquals(new byte[] {5}, file.read(4, 1).array());
        }
    }

    @Test
    void shouldReadWhatIsLeftWhenFileIsTruncatedOrRemoved() throws IOException {
        Path path = file(1, 2, 3, 4);
        try (OpenFile file = OpenFile.of(path)) {
            Files.write(path, new byte[] {9});
            assertArrayEquals(new byte[] {9}, file.read(0, 4).array());
            assertEquals(1, file.size());
            Files.delete(path);
            assertArrayEquals(new byte[] {9}, file.read(0, 4).array());
        }
        assertThrows(NoSuchFileException.class, () -> OpenFile.of(path));
        assertThrows(NoSuchFileException.class, () -> OpenFile.of(path.resolve("below")));
    }

    @Test
    void shouldNameFileWhenItCannotBeRead() throws IOException {
        try (OpenFile file = OpenFile.of(directory)) {
            String said = assertThrows(FileSystemException.class, () -> file.read(0, 1)).getMessage();
            assertTrue(said.startsWith(directory.toString()), said);
        }
        try (OpenFile file = OpenFile.of(file(1))) {
            assertThrows(FileSystemException.class, () -> file.read(-1, 1));
            assertArrayEquals(new byte[] {1}, file.read(0, 1).array());
        }
    }

    @Test
    void shouldSeeLocksWhenOthersHaveThem() throws IOException {
        Path path = file(1, 2, 3, 4);
        try (OpenFile file = OpenFile.of(path)) {
            try (Presence _ = Presence.take(path, 2, 3)) {
                assertArrayEquals(new boolean[] {false, false, true, false}, Presence.look(file, 3));
                assertFalse(file.isLocked(1));
                assertTrue(file.isLocked(2));
            }
            assertFalse(file.isLocked(2));
            try (Presence _ = Presence.take(path, ControlFile.SERVER_TOKEN, 3)) {
                assertArrayEquals(new boolean[] {true, false, false, false}, Presence.look(file, 3));
            }
        }
    }

    @Test
    void shouldLeaveNoDescriptorWhenClosed() throws IOException {
        Path path = file(1);
        for (int i = 0; i < 100; i++) {
            OpenFile.of(path).close();
            assertThrows(NoSuchFileException.class, () -> OpenFile.of(path.resolveSibling("none")));
        }
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            assertEquals(0, open.filter(descriptor -> leadsTo(descriptor, path)).count());
        }
    }

    private static boolean leadsTo(Path descriptor, Path path) {
        try {
            return Files.readSymbolicLink(descriptor).equals(path);
        } catch (IOException e) {
            return false; // that of the list
        }
    }
}
