package org.tributary.server.memory;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tributary.wire.shm.SharedFile;

/**
 * Makes and removes the files of segments on a thread of its own, one after another in the order in which it was
 * asked: the kernel takes tens of seconds to clear many gigabytes, or to take them back, and the event loop has others
 * to serve meanwhile. What has been done is told on the event loop, which alone asks; {@link #close} may be called by
 * any thread once the loop has ended.
 */
public final class SegmentWorker implements AutoCloseable {
    /** Makes a file and reserves its memory; ends early, without the file, when it is cancelled. */
    public interface Reserving {
        void create(Path file, long length, BooleanSupplier isCancelled) throws IOException;
    }

    /** A file that was made, mapped until its arena is closed. */
    record Mapped(MemorySegment file, Arena arena) {
    }

    /** Told on the event loop. */
    interface Made {
        /** Of these one is null. */
        void done(Mapped mapped, IOException problem);
    }

    private static final long CLOSE_S = 10;

    private final Reserving reserving;
    private final Executor loop;
    private final ExecutorService worker;
    private volatile boolean isClosing;

    public SegmentWorker(int node, Executor loop, Reserving reserving) {
        this.loop = loop;
        this.reserving = reserving;
        this.worker = Executors.newSingleThreadExecutor(new DefaultThreadFactory("tributary-segments-" + node, true));
    }

    /** Makes and maps a file. */
    void make(Path file, long length, Made made) {
        worker.execute(() -> {
            try {
                reserving.create(file, length, () -> isClosing);
                Mapped mapped = map(file);
                tell(() -> made.done(mapped, null), mapped);
            } catch (IOException e) {
                tell(() -> made.done(null, e), null);
            } catch (RuntimeException | Error e) {
                tell(() -> made.done(null, new IOException("making " + file + " failed: " + e, e)), null);
            }
        });
    }

    /** Maps a new file; if that fails, nothing of it is left. */
    static Mapped map(Path file) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            return new Mapped(SharedFile.map(file, arena), arena);
        } catch (IOException | RuntimeException e) {
            arena.close();
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /** Unmaps, and gives the memory back to the system if the file is gone already. */
    void unmap(Arena arena) {
        try {
            worker.execute(arena::close);
        } catch (RejectedExecutionException e) {
            arena.close(); // the server ends, and nobody is held up any more
        }
    }

    /** Deletes a file, after what was asked before. */
    void delete(Path file, Made done) {
        worker.execute(() -> {
            try {
                Files.deleteIfExists(file);
                tell(() -> done.done(null, null), null);
            } catch (IOException e) {
                tell(() -> done.done(null, e), null);
            }
        });
    }

    private void tell(Runnable news, Mapped mapped) {
        try {
            loop.execute(news);
        } catch (RejectedExecutionException e) {
            // The server ends; its directory goes with all that is in it.
            if (mapped != null) {
                mapped.arena.close();
            }
        }
    }

    /** Ends what is under way; when this returns, nothing will be made or mapped any more. */
    @Override
    public void close() {
        isClosing = true;
        worker.shutdown();
        try {
            if (!worker.awaitTermination(CLOSE_S, TimeUnit.SECONDS)) {
                worker.shutdownNow();
            }
        } catch (InterruptedException e) {
            worker.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
