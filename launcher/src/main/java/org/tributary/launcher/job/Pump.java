package org.tributary.launcher.job;

import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import org.tributary.wire.Deadline;

/** A thread that copies one output of a process; apart from it, used by one thread, which waits for its end. */
final class Pump {
    private static final long STACK_BYTES = 256 << 10;

    private final LinePump lines;
    private final Thread thread;
    private final CompletableFuture<Void> end;
    private long reads = -1;
    private Deadline held;

    private Pump(LinePump lines, Thread thread, CompletableFuture<Void> end) {
        this.lines = lines;
        this.thread = thread;
        this.end = end;
    }

    static Pump start(String name, InputStream in, LinePump lines) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(null, () -> {
            lines.copy(in);
            end.complete(null);
        }, name, STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        return new Pump(lines, thread, end);
    }

    /** Completed by the thread, when all has been copied. */
    CompletableFuture<Void> end() {
        return end;
    }

    /** Waits for its end, but no longer than that. */
    void join(long timeoutMs) throws InterruptedException {
        if (timeoutMs > 0) {
            thread.join(timeoutMs);
        }
    }

    /**
     * To be asked again and again once the process has ended: whether all its output has been copied, or processes that
     * it left behind have held the pipe open for {@code heldNs} and written nothing. As long as the pump has something
     * to write, it is not over.
     */
    boolean isOver(long heldNs) {
        long now = lines.reads();
        if (now != reads) {
            reads = now;
            held = Deadline.in(heldNs);
        }
        return !thread.isAlive() || LinePump.isReading(now) && held.isOver();
    }
}
