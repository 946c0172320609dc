package org.tributary.server;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;
import org.tributary.wire.shm.DamagedMemoryException;
import org.tributary.wire.shm.MemoryFaults;

/**
 * Looks now and then at the words of mutexes and of locks of windows while somebody waits for one: ranks can write
 * there, and those who wait for a word that was overwritten would wait for ever. Owned by the event loop.
 */
final class LockWatch {
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

    private final EventExecutor loop;
    private final NodeState node;
    private final Runnable look = this::look;
    private boolean isDue;

    LockWatch(EventExecutor loop, NodeState node) {
        this.loop = loop;
        this.node = node;
    }

    /** Somebody may have begun to wait. */
    void begin() {
        if (!isDue && node.mutexes().waiting() + node.windowLocks().waiting() > 0) {
            MemoryFaults.surface();
            isDue = true;
            loop.schedule(look, LOOK_NS, TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        isDue = false;
        try {
            node.mutexes().check(node.segments());
            node.windowLocks().check(node.segments());
            MemoryFaults.surface();
        } catch (DamagedMemoryException | InternalError e) {
            node.life().failed(e);
            return;
        }
        begin();
    }
}
