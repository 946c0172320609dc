package org.tributary.server.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.server.observe.ServerLog;
import org.tributary.wire.shm.SharedFile;

/** A task of the event loop that fails, with whatever, does not end without a word: somebody waits for it. */
class FaultsOfTasksTest {
    private final OutOfMemoryError shortage = new OutOfMemoryError("Cannot reserve direct buffer memory");
    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();
    private final EventLoop loop = new DefaultEventLoop();
    private final SegmentWorker worker = new SegmentWorker(0, loop,
        (file, length, isCancelled) -> SharedFile.create(file, length), fault::complete);

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        worker.close();
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private void fail() {
        throw shortage;
    }

    private void hearsOfShortage() throws Exception {
        assertSame(shortage, fault.get(200, TimeUnit.SECONDS));
    }

    @Test
    void shouldTellOfTheFaultWhenHeldUpWorkFails() throws Exception {
        HeldUp heldUp = new HeldUp(loop, new ServerLog(0), () -> "nobody", fault::complete);
        loop.execute(() -> heldUp.entry(this::fail).later());
        hearsOfShortage();
    }

    @Test
    void shouldTellOfTheFaultWhenTheAnswerToAnAllocationFails() throws Exception {
        worker.make(folder.resolve("segment"), 4096, () -> { }, (made, problem) -> {
            made.arena().close();
            fail();
        });
        hearsOfShortage();
    }

    @Test
    void shouldLeaveNoFileWhenNoNoteOfItCanBeTaken() throws Exception {
        CompletableFuture<IOException> told = new CompletableFuture<>();
        worker.make(folder.resolve("segment"), 4096, this::fail, (made, problem) -> told.complete(problem));
        assertSame(shortage, told.get(200, TimeUnit.SECONDS).getCause());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
    }
}
