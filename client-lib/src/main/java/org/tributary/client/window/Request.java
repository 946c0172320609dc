package org.tributary.client.window;

import org.tributary.client.remote.Handle;

/**
 * Stands for one operation of a window. Complete when its result has come, or its source may be reused, at the latest
 * at the next flush or the end of the epoch; only then what has been put is at the target. Only epochs of locks have
 * requests. Waiting for one makes a deferred epoch issue what is queued for its target. Not thread-safe.
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

    /** Waits for the operation alone. */
    Handle handle() {
        return handle;
    }

    /** Waits until the operation is complete. */
    public void await() {
        window.push(rank);
        handle.await();
        window.requestDone(rank, handle);
    }

    /** Whether the operation is complete; brings it forward. */
    public boolean test() {
        window.push(rank);
        boolean done = handle.test();
        if (done) {
            window.requestDone(rank, handle);
        }
        return done;
    }
}
