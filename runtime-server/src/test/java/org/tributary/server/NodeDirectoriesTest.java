package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
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
import org.tributary.wire.shm.NodeDirectory;

/** Which directories are swept, and who may look into them. */
class NodeDirectoriesTest {
    @TempDir
    private Path shm;

    private Path directory(String name, Duration age) throws IOException {
        Path directory = Files.createDirectory(shm.resolve(name));
        Files.writeString(directory.resolve("segment-1"), "memory");
        Files.setLastModifiedTime(directory, FileTime.from(Instant.now().minus(age)));
        return directory;
    }

    @Test
    void shouldKeepWhenServerLives() throws IOException {
        NodeDirectory own = NodeDirectory.of(shm, "own", 0);
        try (FileChannel lock = NodeDirectories.create(own)) {
            Files.setLastModifiedTime(own.path(), FileTime.from(Instant.EPOCH));
            assertEquals(List.of(), NodeDirectories.sweep(shm));
            assertEquals(List.of(), NodeDirectories.sweep(shm));
            assertTrue(lock.isOpen());
        }
        assertTrue(Files.exists(own.path()));
    }

    @Test
    void shouldSweepWhenServerWasKilled() throws IOException, InterruptedException {
        Process server = ServerProgram.start(shm, "killed");
        Path directory = NodeDirectory.of(shm, "killed", 0).path();
        try {
            try (Stream<Path> files = Files.list(directory)) {
                assertTrue(files.anyMatch(file -> file.getFileName().toString().startsWith("lock-" + server.pid())));
            }
            assertEquals(List.of(), NodeDirectories.sweep(shm), "it lives");
        } finally {
            server.destroyForcibly(); // SIGKILL
        }
        assertTrue(server.waitFor(20, TimeUnit.SECONDS));
        assertTrue(Files.exists(directory.resolve("control")), "nobody has cleaned up yet");
        assertEquals(List.of(directory.toString()), NodeDirectories.sweep(shm));
        assertFalse(Files.exists(directory));
        assertEquals(List.of(), NodeDirectories.sweep(shm));
    }

    @Test
    void shouldSweepWhenDeadServerHadTheNumberOfThisProcess() throws IOException {
        Path stale = directory("tributary-stale-0", Duration.ZERO);
        Files.createFile(new NodeDirectory(stale).lock(ProcessHandle.current().pid(), 1));
        assertEquals(List.of(stale.toString()), NodeDirectories.sweep(shm));
        assertFalse(Files.exists(stale));
    }

    @Test
    void shouldTellOldFromYoungWhenThereIsNoLock() throws IOException {
        Path young = directory("tributary-young-0", Duration.ZERO);
        Path old = directory("tributary-old-0", Duration.ofMinutes(2));
        assertEquals(List.of(old.toString()), NodeDirectories.sweep(shm));
        assertTrue(Files.exists(young));
        assertFalse(Files.exists(old));
    }

    @Test
    void shouldKeepWhenNameIsNotOfAJob() throws IOException {
        Path other = directory("somebody-elses", Duration.ofDays(1));
        Path file = Files.writeString(shm.resolve("tributary-file"), "a file");
        assertEquals(List.of(), NodeDirectories.sweep(shm));
        assertTrue(Files.exists(other) && Files.exists(file));
    }

    @Test
    void shouldSweepNothingWhenThereIsNoSuchDirectory() {
        assertEquals(List.of(), NodeDirectories.sweep(shm.resolve("missing")));
    }

    @Test
    void shouldFailAndKeepWhenDirectoryExists() throws IOException {
        NodeDirectory own = NodeDirectory.of(shm, "twice", 0);
        try (FileChannel lock = NodeDirectories.create(own)) {
            assertThrows(FileAlreadyExistsException.class, () -> NodeDirectories.create(own));
            assertTrue(lock.isOpen() && Files.exists(NodeDirectories.ownLock(own)));
        }
    }

    @Test
    void shouldBeItsOwnersAloneWhenServerRuns() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1)); RawClient rank = job.rank(0)) {
            rank.done(Requests.allocate(1, 5, 0, 0, 100));
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(job.directory(0))));
            try (Stream<Path> files = Files.list(job.directory(0))) {
                List<Path> regular = files.filter(Files::isRegularFile).toList();
                assertEquals(4, regular.size(), regular::toString); // lock, control, inboxes, segment
                for (Path file : regular) {
                    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
                        file::toString);
                }
            }
        }
    }
}
