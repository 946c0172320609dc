package org.tributary.server.memory;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerLog;

/**
 * Work that waits for a lock of accumulates whose holder does not run at the moment, or is stopped. It is tried again
 * now and then, while the event loop serves all other connections. Each loop has its own, and owns it.
 */
public final class HeldUp {
    private static final long FIRST_PAUSE_NS = 50_000;
    private static final long LONGEST_PAUSE_NS = 2_000_000;
    private static final long SAID_AFTER_NS = TimeUnit.SECONDS.toNanos(5);

    private final ServerLog log;
    private final Supplier<String> holder;
    private final Consumer<Throwable> onFault;
    private final GuardedTasks.Task tryAgain;
    private List<Runnable> waiting = new ArrayList<>();
    private List<Runnable> tried = new ArrayList<>();
    private long pauseNs = FIRST_PAUSE_NS;
    private long sinceNs;
    private boolean isSaid;

    /** {@code holder} names the process that holds one of the locks now. */
    HeldUp(EventExecutor loop, ServerLog log, Supplier<String> holder, Consumer<Throwable> onFault) {
        this.log = log;
        this.holder = holder;
        this.onFault = onFault;
        this.tryAgain = new GuardedTasks(loop, onFault).task(this::tryAgain);
    }

    /** How much of it there is; any thread, perhaps a moment old. */
    public int size() {
        return waiting.size();
    }

    /** Does it later; if it is still held up then, it comes here again. */
    public void later(Runnable work) {
        if (waiting.isEmpty() && tried.isEmpty()) {
            pauseNs = FIRST_PAUSE_NS;
            sinceNs = System.nanoTime();
            isSaid = false;
        }
        if (waiting.isEmpty()) {
            tryAgain.after(pauseNs);
        }
        waiting.add(work);
    }

    private void tryAgain() {
        List<Runnable> now = waiting;
        waiting = tried;
        tried = now;
        pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
        for (int i = 0; i < now.size(); i++) {
            try {
                now.get(i).run();
            } catch (RuntimeException | Error e) {
                onFault.accept(e);
            }
        }
        now.clear();
        long waitedNs = System.nanoTime() - sinceNs;
        if (!waiting.isEmpty() && !isSaid && waitedNs > SAID_AFTER_NS) {
            isSaid = true;
            log.heldUp(waiting.size(), waitedNs, holder.get());
        }
    }
}
