package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeDirectoryTest {
    private static final String JOB = "of-2.x-1";
    private static final String LOCK = "lock-1-1";
    /** Longer than fifty looks at 2 ms. */
    private static final int LATE_MS = 300;

    @TempDir
    private Path shm;

    @Test
    void shouldFindOtherNodesOfTheJobWhenTheirServersListen() throws IOException {
        NodeDirectory own = NodeDirectory.of(shm, JOB, 1);
        for (Path directory : List.of(NodeDirectory.of(shm, JOB, 10).path(), NodeDirectory.of(shm, JOB, 0).path(),
            own.path(), NodeDirectory.of(shm, "of-2.x", 4).path(), NodeDirectory.of(shm, "of-2yx-1", 5).path(),
            shm.resolve("tributary-" + JOB + "-x"), shm.resolve("tributary-" + JOB + "-7-8"))) {
            Files.createFile(Files.createDirectory(directory).resolve("socket"));
        }
        Files.createDirectory(NodeDirectory.of(shm, JOB, 3).path()); // does not listen yet
        assertEquals(List.of(0, 10), own.othersHere());
        assertEquals(List.of(), NodeDirectory.of(shm, "of-2", 1).othersHere());
    }

    @Test
    void shouldWaitForTheLockWhenItsServerHasJustDied() throws Exception {
        NodeDirectory own = withLock(JOB, 1);
        try (FileChannel server = FileChannel.open(own.path().resolve(LOCK), StandardOpenOption.WRITE);
            FileLock held = server.lock()) {
            Thread remover = Thread.ofPlatform().start(own::removeWithServer);
            remover.join(LATE_MS);
            assertTrue(Files.exists(own.path()) && held.isValid(), "a living server's directory is gone");
            held.release();
            remover.join();
        }
        assertFalse(Files.exists(own.path()));
    }

    @Test
    void shouldRemoveOtherDeadNodesOfTheJobAndLeaveLivingOnesWhenItsServerHasDied() throws Exception {
        NodeDirectory own = withLock(JOB, 1);
        NodeDirectory dead = withLock(JOB, 10);
        NodeDirectory living = withLock(JOB, 2);
        NodeDirectory foreign = withLock("of-2.x", 3);
        try (FileChannel server = FileChannel.open(living.path().resolve(LOCK), StandardOpenOption.WRITE);
            FileLock held = server.lock()) {
            own.removeWithServer();
            assertTrue(held.isValid());
        }
        assertEquals(List.of(false, false, true, true), Stream.of(own, dead, living, foreign)
            .map(node -> Files.exists(node.path())).toList());
    }

    private NodeDirectory withLock(String job, int node) throws IOException {
        NodeDirectory made = NodeDirectory.of(shm, job, node);
        Files.createFile(Files.createDirectory(made.path(), PosixFilePermissions.asFileAttribute(
            PosixFilePermissions.fromString("rwx------"))).resolve(LOCK));
        Files.createFile(made.socket());
        return made;
    }

    @Test
    void shouldFindNoneWhenThereIsNoSuchDirectory() {
        assertEquals(List.of(), NodeDirectory.of(shm.resolve("none"), JOB, 1).othersHere());
    }
}
