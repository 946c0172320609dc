package org.tributary.client.bootstrap;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.NodeDirectory;

class LastOfNodeTest {
    @TempDir
    private Path shm;

    @Test
    void shouldStayWhenTheServerLives() throws Exception {
        NodeDirectory directory = NodeDirectory.of(shm, "job", 1);
        Thread stays;
        try (LockedDirectory server = directory.create()) {
            stays = Thread.ofPlatform().daemon().start(new LastOfNode(directory, 3, 1)::stay);
            assertFalse(stays.join(Duration.ofMillis(100)), server.path()::toString);
        }
        stays.join();
    }

    /** And its shell, which would have removed the directory. */
    @Test
    void shouldEndWhenTheServerWasKilled() throws Exception {
        NodeDirectory directory = NodeDirectory.of(shm, "job", 1);
        Files.createDirectory(directory.path(), PosixFilePermissions.asFileAttribute(
            PosixFilePermissions.fromString("rwx------")));
        Files.createFile(directory.path().resolve(LockedDirectory.LOCK_PREFIX + "1-1"));
        new LastOfNode(directory, 3, 1).stay();
        assertTrue(Files.notExists(directory.path()));
    }
}
