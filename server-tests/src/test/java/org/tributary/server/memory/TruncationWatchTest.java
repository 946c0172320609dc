package org.tributary.server.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.wire.shm.MappedFiles;

/** A file that is truncated ends the job, and the server when its loop does not end it. */
class TruncationWatchTest {
    private static final long PATIENCE_NS = 10;

    @TempDir
    private Path directory;

    private final MappedFiles mapped = new MappedFiles();
    private final List<String> aborts = new ArrayList<>();
    private final List<String> givenUp = new ArrayList<>();
    private long nowNs = Long.MAX_VALUE - 5;
    private final TruncationWatch watch = new TruncationWatch(mapped, aborts::add, givenUp::add, PATIENCE_NS,
        () -> nowNs);
    private Path file;

    @BeforeEach
    void map() throws IOException {
        file = Files.write(directory.resolve("segment"), new byte[100]);
        mapped.add(file, 100);
    }

    @Test
    void shouldDoNothingWhenFilesAreAsTheyWereOrDeleted() throws IOException {
        watch.look();
        Files.delete(file);
        watch.look();
        nowNs += PATIENCE_NS;
        watch.look();
        assertEquals(List.of(), aborts);
        assertEquals(List.of(), givenUp);
    }

    @Test
    void shouldAbortOnceAndGiveUpOnlyWhenTheJobDoesNotEndForThatLong() throws IOException {
        Files.write(file, new byte[10]);
        watch.look();
        nowNs += PATIENCE_NS - 1;
        watch.look();
        assertEquals(1, aborts.size());
        assertTrue(aborts.getFirst().contains(file + " was truncated"), aborts.getFirst());
        assertEquals(List.of(), givenUp);
        nowNs++;
        watch.look();
        assertEquals(aborts, givenUp);
    }
}
