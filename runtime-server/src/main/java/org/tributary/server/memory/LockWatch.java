package org.tributary.server.memory;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tributary.wire.shm.MemoryFaults;

/**
 * Looks now and then at the words of mutexes and of locks of RMA windows while a rank waits for one: ranks can write
 * there, and the waiters for an overwritten word would wait for ever. Owned by the event loop.
 */
public final class LockWatch {
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

    private final EventExecutor loop;
    private final MutexQueues mutexes;
    private final WindowLocks windowLocks;
    private final SegmentRegistry segments;
    private final Consumer<Throwable> onFault;
    private final Runnable look = this::look;
    private boolean isDue;

    LockWatch(EventExecutor loop, MutexQueues mutexes, WindowLocks windowLocks, SegmentRegistry segments,
        Consumer<Throwable> onFault) {
        this.loop = loop;
        this.mutexes = mutexes;
        this.windowLocks = windowLocks;
        this.segments = segments;
        this.onFault = onFault;
    }

    /** Somebody may have begun to wait. */
    public void begin() {
        if (!isDue && mutexes.waiting() + windowLocks.waiting() > 0) {
            MemoryFaults.surface();
            isDue = true;
            loop.schedule(look, LOOK_NS, TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        isDue = false;
        try {
            mutexes.check(segments);
            windowLocks.check(segments);
            MemoryFaults.surface();
        } catch (RuntimeException | Error e) {
            onFault.accept(e);
            return;
        }
        begin();
    }
}
