package org.tributary.server.memory;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.tributary.config.Shortage;
import org.tributary.wire.shm.SharedFile;

/**
 * Makes and removes the files of segments on a thread of its own, one after another in the order in which it was
 * asked: the kernel takes tens of seconds to clear many gigabytes, or to take them back, and the event loop has others
 * to serve meanwhile. Results are told on the main event loop, which alone asks for files; any loop, as the last that
 * uses one, has its memory unmapped. {@link #close} may be called by any other thread, and what is asked afterwards is
 * not done: the server ends, and its directory goes with all that is in it.
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
    /** So many addresses are kept after their use. */
    private static final int KEPT_ADDRESSES = 64;

    private final Reserving reserving;
    private final Executor loop;
    private final ExecutorService worker;
    private final Consumer<Throwable> onFault;
    /** Of the worker; afterwards of the thread that closes it. */
    private final ArrayDeque<Arena> forbidden = new ArrayDeque<>();
    private volatile boolean isClosing;
    private volatile Runnable makeRoom = () -> { };

    public SegmentWorker(int node, Executor loop, Reserving reserving, Consumer<Throwable> onFault) {
        this.loop = loop;
        this.onFault = onFault;
        this.reserving = reserving;
        this.worker = Executors.newSingleThreadExecutor(new DefaultThreadFactory("tributary-segments-" + node, true));
    }

    /** {@code room}: closes connections of strangers before it returns; called by the worker. */
    public void onShortageOfFiles(Runnable room) {
        makeRoom = room;
    }

    private interface Work {
        Mapped run() throws IOException;
    }

    /** Makes and maps a file, then takes note of it. */
    void make(Path file, long length, Runnable note, Made made) {
        work("making " + file, made, () -> {
            Mapped mapped = create(file, length);
            try {
                note.run();
            } catch (RuntimeException | Error e) {
                mapped.arena().close();
                Files.deleteIfExists(file);
                throw e;
            }
            return mapped;
        });
    }

    /** When the process may open no more files, strangers give theirs back. */
    private Mapped create(Path file, long length) throws IOException {
        try {
            return createOnce(file, length);
        } catch (IOException e) {
            if (Shortage.of(e) != Shortage.FILES) {
                throw e;
            }
            makeRoom.run();
            return createOnce(file, length);
        }
    }

    private Mapped createOnce(Path file, long length) throws IOException {
        reserving.create(file, length, () -> isClosing);
        return map(file);
    }

    private void work(String what, Made done, Work work) {
        try {
            worker.execute(() -> {
                try {
                    tell(done, work.run(), null);
                } catch (IOException e) {
                    tell(done, null, e);
                } catch (RuntimeException | Error e) {
                    tell(done, null, new IOException(what + " failed: " + e, e));
                }
            });
        } catch (RejectedExecutionException e) {
            // The server ends, and with it all that would be told.
        }
    }

    /** Maps a new file; if that fails, nothing of it is left. */
    static Mapped map(Path file) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            return new Mapped(SharedFile.map(file, arena), arena);
        } catch (IOException | RuntimeException | Error e) {
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

    /**
     * As {@link #unmap}, for memory that a network adapter has written to: other memory does not come to these
     * addresses at once, so what is still on its way there gets nowhere.
     */
    void forbid(MemorySegment file, Arena arena) {
        try {
            worker.execute(() -> {
                if (!SharedFile.forbid(file)) {
                    arena.close();
                    return;
                }
                forbidden.add(arena);
                if (forbidden.size() > KEPT_ADDRESSES) {
                    forbidden.remove().close();
                }
            });
        } catch (RejectedExecutionException e) {
            arena.close(); // the adapter is closed already
        }
    }

    /** Deletes a file, after what was asked before. */
    void delete(Path file, Made done) {
        work("removing " + file, done, () -> {
            Files.deleteIfExists(file);
            return null;
        });
    }

    private void tell(Made made, Mapped mapped, IOException problem) {
        try {
            loop.execute(() -> {
                try {
                    made.done(mapped, problem);
                } catch (RuntimeException | Error e) {
                    onFault.accept(e); // the one that has asked would wait for ever
                }
            });
        } catch (RejectedExecutionException e) {
            // The server ends; its directory goes with all that is in it.
            if (mapped != null) {
                mapped.arena.close();
            }
        }
    }

    /** Ends what is under way; when this returns, all has been told and nothing will be made or mapped any more. */
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
        if (worker.isTerminated()) {
            forbidden.forEach(Arena::close);
            forbidden.clear();
        }
    }
}
