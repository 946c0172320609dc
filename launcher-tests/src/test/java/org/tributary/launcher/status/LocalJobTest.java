package org.tributary.launcher.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.launcher.step.Asked;

/** The nodes of a job among all that lies in shared memory. */
class LocalJobTest {
    @TempDir
    private Path shm;

    /** A node whose files say nothing: a step names it. */
    private Path damaged(String name) throws IOException {
        Path node = Files.createDirectory(shm.resolve(name));
        Files.writeString(node.resolve("control"), "damaged");
        return node;
    }

    private static List<String> named(LocalJob job) throws IOException {
        return job.step(Asked.first("page")).problems().stream()
            .map(line -> Path.of(line.substring(0, line.indexOf(": "))).getFileName().toString()).toList();
    }

    @Test
    void shouldLookAtItsOwnNodesInOrderWhenOthersHaveSimilarNames() throws IOException {
        for (String name : List.of("tributary-a-0", "tributary-a-10", "tributary-a-2", "tributary-a-1-0",
            "tributary-a-x", "tributary-a-", "tributary-a-12345678901", "tributary-aa-0", "tributary-other-0")) {
            damaged(name);
        }
        Files.writeString(shm.resolve("tributary-a-3"), "no directory");
        Files.createSymbolicLink(shm.resolve("tributary-a-4"), shm.resolve("tributary-other-0"));
        assertEquals(List.of("tributary-a-0", "tributary-a-2", "tributary-a-10"), named(new LocalJob(shm, "a")));
        assertEquals(List.of("tributary-a-1-0"), named(new LocalJob(shm, "a-1")));
    }

    @Test
    void shouldSeeNodesComeAndGoWhenItLooksAgain() throws IOException {
        LocalJob job = new LocalJob(shm, "a");
        assertEquals(List.of(), named(job));
        Path node = damaged("tributary-a-1");
        damaged("tributary-a-0");
        assertEquals(List.of("tributary-a-0", "tributary-a-1"), named(job));
        Files.delete(node.resolve("control"));
        assertEquals(List.of("tributary-a-0"), named(job), "one that is being removed is no problem");
        Files.delete(node);
        Files.writeString(node, "of that name there is something else now");
        assertEquals(List.of("tributary-a-0"), named(job));
    }

    @Test
    void shouldTellWhenDirectoryCannotBeRead() throws IOException {
        assertEquals(List.of(), named(new LocalJob(shm.resolve("none"), "a")));
        Path file = Files.writeString(shm.resolve("file"), "no directory");
        assertThrows(NotDirectoryException.class, () -> named(new LocalJob(file, "a")));
    }
}
