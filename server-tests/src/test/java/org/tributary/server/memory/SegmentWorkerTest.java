package org.tributary.server.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A segment that is made while strangers have the files that it needs. */
class SegmentWorkerTest {
    private static final long LENGTH = 4096;
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger rooms = new AtomicInteger();

    @TempDir
    private Path folder;

    /** Makes a segment with attempts of which so many fail; whether it was made. */
    private boolean make(int failures, String why) throws Exception {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        try (SegmentWorker worker = new SegmentWorker(0, Runnable::run, (file, length, isCancelled) -> {
            if (attempts.incrementAndGet() <= failures) {
                throw new IOException(file + ": " + why);
            }
            Files.write(file, new byte[(int) length]);
        }, result::completeExceptionally)) {
            worker.onShortageOfFiles(rooms::incrementAndGet);
            worker.make(folder.resolve("segment"), LENGTH, () -> { }, (made, problem) -> {
                assertNotNull(made == null ? problem : made);
                if (made != null) {
                    made.arena().close();
                }
                result.complete(made != null);
            });
            return result.get();
        }
    }

    @Test
    void shouldTryAgainWithTheFilesOfStrangersWhenThereAreTooFew() throws Exception {
        assertTrue(make(1, "Too many open files"));
        assertEquals(2, attempts.get());
        assertEquals(1, rooms.get());
    }

    @Test
    void shouldGiveUpWhenTheFilesOfStrangersAreNotEnough() throws Exception {
        assertTrue(!make(9, "Too many open files"));
        assertEquals(2, attempts.get());
    }

    @Test
    void shouldTurnNobodyAwayWhenSomethingElseIsShort() throws Exception {
        assertTrue(!make(1, "No space left on device"));
        assertEquals(1, attempts.get());
        assertEquals(0, rooms.get());
    }
}
