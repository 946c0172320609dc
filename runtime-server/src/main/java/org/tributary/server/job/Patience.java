package org.tributary.server.job;

import java.util.function.BooleanSupplier;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.Deadline;

/**
 * Waits on the event loop for a process that has to come, in time in which this server runs ({@link Deadline}). Owned
 * by the event loop.
 */
final class Patience implements Runnable {
    private final GuardedTasks tasks;
    private final Deadline deadline;
    private final BooleanSupplier isAwaited;
    private final Runnable onEnd;

    private Patience(GuardedTasks tasks, long timeoutNs, BooleanSupplier isAwaited, Runnable onEnd) {
        this.tasks = tasks;
        this.deadline = new Deadline(timeoutNs, tasks::nanoTime);
        this.isAwaited = isAwaited;
        this.onEnd = onEnd;
    }

    /** Runs {@code onEnd} after that time, unless nobody {@code isAwaited} any more before that. */
    static void begin(GuardedTasks tasks, long timeoutNs, BooleanSupplier isAwaited, Runnable onEnd) {
        tasks.execute(new Patience(tasks, timeoutNs, isAwaited, onEnd));
    }

    @Override
    public void run() {
        if (!isAwaited.getAsBoolean()) {
            return;
        }
        long leftNs = deadline.leftNs();
        if (leftNs <= 0) {
            onEnd.run();
        } else {
            tasks.after(Math.min(leftNs, Deadline.LOOK_NS), this);
        }
    }
}
