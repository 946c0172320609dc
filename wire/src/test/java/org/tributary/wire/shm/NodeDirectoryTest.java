package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeDirectoryTest {
    private static final String JOB = "of-2.x-1";

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
    void shouldFindNoneWhenThereIsNoSuchDirectory() {
        assertEquals(List.of(), NodeDirectory.of(shm.resolve("none"), JOB, 1).othersHere());
    }
}
