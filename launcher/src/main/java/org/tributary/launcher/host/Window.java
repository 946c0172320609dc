package org.tributary.launcher.host;

import java.util.concurrent.Semaphore;

/**
 * How many bytes may be on their way between a host and the launcher, as in a pipe. Whatever the other end says, they
 * are never more. Thread-safe.
 */
final class Window {
    private final int bytes;
    private final Semaphore room;
    private boolean open;

    Window(int bytes) {
        this.bytes = bytes;
        this.room = new Semaphore(bytes);
    }

    /** Waits for room for them; not for more than there can be. */
    void send(int count) {
        room.acquireUninterruptibly(Math.min(count, bytes));
    }

    /** So many have arrived. Those that were never sent do not count. */
    synchronized void arrived(int count) {
        room.release(Math.clamp(count, 0, Math.max(0, bytes - room.availablePermits())));
    }

    /** Nothing arrives any more: nobody waits from now on. */
    synchronized void open() {
        if (!open) {
            open = true;
            room.release(Integer.MAX_VALUE / 2);
        }
    }
}
