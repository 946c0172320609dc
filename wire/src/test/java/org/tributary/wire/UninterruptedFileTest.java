package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files whose threads are interrupted, before something is done with them and meanwhile. */
class UninterruptedFileTest {
    @TempDir
    private Path folder;

    private int attempts;

    @Test
    void shouldGoOnWhenInterruptedBeforeAndMeanwhile() throws IOException {
        Path path = Files.write(folder.resolve("file"), new byte[] {1, 2, 3, 4});
        try (UninterruptedFile file = UninterruptedFile.open(path, StandardOpenOption.WRITE)) {
            Thread.currentThread().interrupt();
            ByteBuffer bytes = ByteBuffer.wrap(new byte[] {7, 8});
            int written = file.run(channel -> {
                assertFalse(Thread.currentThread().isInterrupted());
                if (++attempts <= 2) {
                    Thread.currentThread().interrupt();
                }
                return channel.write(bytes, 1);
            });
            assertEquals(2, written);
            assertEquals(3, attempts);
            assertTrue(Thread.interrupted());
            long size = file.run(FileChannel::size);
            assertEquals(4, size);
            assertFalse(Thread.interrupted());
        }
        assertArrayEquals(new byte[] {1, 7, 8, 4}, Files.readAllBytes(path));
    }

    @Test
    void shouldStayInterruptedWhenItFails() throws IOException {
        Path path = Files.createFile(folder.resolve("file"));
        try (UninterruptedFile file = UninterruptedFile.open(path, StandardOpenOption.READ)) {
            Thread.currentThread().interrupt();
            assertThrows(NoSuchFileException.class, () -> file.run(channel -> {
                throw new NoSuchFileException("none");
            }));
            assertTrue(Thread.interrupted());
            Files.delete(path);
            assertThrows(NoSuchFileException.class, () -> file.run(channel -> {
                Thread.currentThread().interrupt();
                return channel.size();
            }));
            assertTrue(Thread.interrupted());
        }
    }
}
