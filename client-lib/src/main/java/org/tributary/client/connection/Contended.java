package org.tributary.client.connection;

import org.tributary.client.error.WaitInterruptedException;
import org.tributary.wire.shm.WaitKind;

/**
 * A lock that a request asks for, and that another rank may hold.
 *
 * @param rank    at which it is
 * @param segment that holds its word
 * @param index   among those of that rank
 */
public record Contended(WaitKind kind, int rank, long segment, long index) {
    /** What a thread throws that was interrupted while it waited for the lock. */
    public WaitInterruptedException interrupted() {
        return new WaitInterruptedException("interrupted while waiting for "
            + (kind == WaitKind.MUTEX ? "mutex " + index : "the lock of the part") + " of rank " + rank);
    }
}
