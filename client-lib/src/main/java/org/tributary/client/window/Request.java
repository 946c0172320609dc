package org.tributary.client.window;

import org.tributary.client.Handle;

/**
 * Stands for one operation of a window. Complete when its result has come, or its source may be reused; what has been
 * put is at the target only after the epoch's end or a flush. Only epochs of locks have requests. Waiting for one makes
 * a deferred epoch issue what is queued for its target. Not thread-safe.
 */
public final class Request {
    private final Window window;
    private final int rank;
    private final Handle handle;

    Request(Window window, int rank, Handle handle) {
        this.window = window;
        this.rank = rank;
        this.handle = handle;
    }

    /** Waits until the operation is complete. */
    public void await() {
        window.push(rank);
        handle.await();
        window.requestDone(rank);
    }

    /** Whether the operation is complete; brings it forward. */
    public boolean test() {
        window.push(rank);
        boolean done = handle.test();
        if (done) {
            window.requestDone(rank);
        }
        return done;
    }
}
