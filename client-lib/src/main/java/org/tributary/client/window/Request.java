package org.tributary.client.window;

import org.tributary.client.remote.Handle;

/**
 * Stands for one operation of a window. Complete when its result has come, or its source may be reused, at the latest
 * at the next flush or the end of the epoch; only then what has been put is at the target. Only epochs of locks have
 * requests. Waiting for one makes a deferred epoch issue what is queued for its target. Not thread-safe.
 */
public final class Request {
    private final Requests requests;
    private final int rank;
    private final Handle handle;

    Request(Requests requests, int rank, Handle handle) {
        this.requests = requests;
        this.rank = rank;
        this.handle = handle;
    }

    /** Waits for the operation alone. */
    Handle handle() {
        return handle;
    }

    /** Waits until the operation is complete. */
    public void await() {
        requests.push(rank);
        handle.await();
        requests.done(rank, handle);
    }

    /** Whether the operation is complete; brings it forward. */
    public boolean test() {
        requests.push(rank);
        boolean done = handle.test();
        if (done) {
            requests.done(rank, handle);
        }
        return done;
    }
}
