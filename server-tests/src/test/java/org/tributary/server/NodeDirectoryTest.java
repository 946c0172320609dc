package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.ServerProgram;
import org.tributary.server.testing.TestServers;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.NodeDirectory;

/** Which directories are swept, and who may look into them. */
class NodeDirectoryTest {
    @TempDir
    private Path shm;

    private List<String> sweep() {
        LockedDirectory.Swept swept = NodeDirectory.sweep(shm);
        assertEquals(List.of(), swept.problems());
        return swept.removed();
    }

    @Test
    void shouldSweepWhenServerWasKilled() throws IOException, InterruptedException {
        Process server = ServerProgram.start(shm, "killed");
        Path directory = NodeDirectory.of(shm, "killed", 0).path();
        try {
            try (Stream<Path> files = Files.list(directory)) {
                assertTrue(files.anyMatch(file -> file.getFileName().toString().startsWith("lock-" + server.pid())));
            }
            assertEquals(List.of(), sweep(), "it lives");
        } finally {
            server.destroyForcibly(); // SIGKILL
        }
        assertTrue(server.waitFor(200, TimeUnit.SECONDS));
        assertTrue(Files.exists(directory.resolve("control")), "nobody has cleaned up yet");
        assertEquals(List.of(directory.toString()), sweep());
        assertFalse(Files.exists(directory));
        assertEquals(List.of(), sweep());
    }

    @Test
    void shouldFailAndKeepWhenDirectoryExists() throws IOException {
        NodeDirectory own = NodeDirectory.of(shm, "twice", 0);
        try (LockedDirectory locked = own.create()) {
            assertThrows(FileAlreadyExistsException.class, () -> own.create());
            assertTrue(Files.exists(locked.lockFile()));
        }
    }

    @Test
    void shouldBeItsOwnersAloneWhenServerRuns() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1)); RawClient rank = job.rank(0)) {
            rank.done(Requests.allocate(1, 5, 0, 0, 100));
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(job.directory(0))));
            try (Stream<Path> files = Files.list(job.directory(0))) {
                List<Path> regular = files.filter(Files::isRegularFile).toList();
                assertEquals(7, regular.size(), regular::toString); // lock, control, counts, two segments with parts
                for (Path file : regular) {
                    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
                        file::toString);
                }
            }
        }
    }
}
