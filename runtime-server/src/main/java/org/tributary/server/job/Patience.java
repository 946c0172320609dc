package org.tributary.server.job;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tributary.wire.Deadline;

/**
 * Waits on the event loop for somebody who has to come, in time in which this server runs ({@link Deadline}). Owned by
 * the event loop.
 */
final class Patience implements Runnable {
    private final EventLoop loop;
    private final Deadline deadline;
    private final BooleanSupplier isAwaited;
    private final Runnable onEnd;

    private Patience(EventLoop loop, long timeoutNs, BooleanSupplier isAwaited, Runnable onEnd) {
        this.loop = loop;
        this.deadline = new Deadline(timeoutNs, loop.ticker()::nanoTime);
        this.isAwaited = isAwaited;
        this.onEnd = onEnd;
    }

    /** Runs {@code onEnd} after that time, unless nobody {@code isAwaited} any more before that. */
    static void begin(EventLoop loop, long timeoutNs, BooleanSupplier isAwaited, Runnable onEnd) {
        loop.execute(new Patience(loop, timeoutNs, isAwaited, onEnd));
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
            loop.schedule(this, Math.min(leftNs, Deadline.LOOK_NS), TimeUnit.NANOSECONDS);
        }
    }
}
