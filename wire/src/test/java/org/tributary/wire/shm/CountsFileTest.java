package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server tells in shared memory. */
class CountsFileTest {
    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("counts");
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldBeReadAsItWasWrittenLastWhenWrittenOften() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            CountsFile counts = CountsFile.create(file(), arena, 100);
            assertFalse(CountsFile.read(file()).hasRemaining(), "nothing has been told yet");
            counts.write(bytes("the first of them"));
            counts.write(bytes("second"));
            assertEquals(bytes("second"), CountsFile.read(file()));
            counts.write(bytes("x".repeat(101)));
            assertEquals(bytes("second"), CountsFile.read(file()), "what has no room is not told");
        }
    }

    @Test
    void shouldTellNothingWhenWriterDiedMidway() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            CountsFile.create(file(), arena, 100).write(bytes("whole"));
            MemorySegment memory = SharedFile.map(file(), arena);
            memory.set(ValueLayout.JAVA_INT, CountsFile.SEQUENCE_OFFSET, 3);
            assertFalse(CountsFile.read(file()).hasRemaining());
        }
    }

    @Test
    void shouldTellNothingWhenFileIsDamaged() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            CountsFile.create(file(), arena, 100).write(bytes("whole"));
            MemorySegment memory = SharedFile.map(file(), arena);
            for (int length : new int[] {-1, Integer.MAX_VALUE, 101}) {
                memory.set(ValueLayout.JAVA_INT, CountsFile.LENGTH_OFFSET, length);
                assertFalse(CountsFile.read(file()).hasRemaining(), "length " + length);
            }
        }
        Files.write(file(), new byte[5]);
        assertFalse(CountsFile.read(file()).hasRemaining());
        assertThrows(NoSuchFileException.class, () -> CountsFile.read(directory.resolve("none")));
    }
}
