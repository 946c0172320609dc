package org.tributary.server.memory;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tributary.server.observe.GuardedTasks;

/**
 * Looks now and then at the words of mutexes and of locks of RMA windows while a rank waits for one: ranks can write
 * there, and the waiters for an overwritten word would wait for ever. Owned by the event loop.
 */
public final class LockWatch {
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

    private final MutexQueues mutexes;
    private final WindowLocks windowLocks;
    private final SegmentRegistry segments;
    private final GuardedTasks.Task look;
    private boolean isDue;

    LockWatch(EventExecutor loop, MutexQueues mutexes, WindowLocks windowLocks, SegmentRegistry segments,
        Consumer<Throwable> onFault) {
        this.mutexes = mutexes;
        this.windowLocks = windowLocks;
        this.segments = segments;
        this.look = new GuardedTasks(loop, onFault).task(this::look);
    }

    /** A rank may have begun to wait. */
    public void begin() {
        if (!isDue && mutexes.waiting() + windowLocks.waiting() > 0) {
            look.after(LOOK_NS);
            isDue = true;
        }
    }

    private void look() {
        isDue = false;
        mutexes.check(segments);
        windowLocks.check(segments);
        begin();
    }
}
