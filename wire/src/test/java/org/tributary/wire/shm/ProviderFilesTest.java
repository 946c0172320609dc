package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of libfabric's provider shm that killed processes have left. */
class ProviderFilesTest {
    /** More processes than Linux has. */
    private static final String DEAD = "4194305";

    @Test
    void shouldRemoveWhatDeadProcessesHaveLeftWhenSwept(@TempDir Path shm) throws IOException {
        Path dead = Files.createFile(shm.resolve(DEAD + ":1000:1"));
        long own = ProcessHandle.current().pid();
        List<Path> kept = Stream.of(own + ":1000:1", DEAD + ":1", DEAD + ":1:2:3", "x" + DEAD + ":1:1",
            "99999999999:1:1").map(shm::resolve).toList();
        for (Path file : kept) {
            Files.createFile(file);
        }
        Path folder = Files.createDirectory(shm.resolve(DEAD + ":1000:2"));
        Path link = Files.createSymbolicLink(shm.resolve(DEAD + ":1000:3"), kept.getFirst());
        LockedDirectory.Swept swept = ProviderFiles.sweep(shm);
        assertEquals(new LockedDirectory.Swept(List.of(dead.toString()), List.of()), swept);
        assertTrue(Files.notExists(dead) && Files.exists(folder) && Files.exists(link));
        assertTrue(kept.stream().allMatch(Files::exists));
    }

    @Test
    void shouldDoNothingWhenThereIsNoSharedMemory(@TempDir Path empty) {
        assertEquals(new LockedDirectory.Swept(List.of(), List.of()), ProviderFiles.sweep(empty.resolve("none")));
    }
}
