package org.tributary.client.window;

import org.tributary.client.Gas;
import org.tributary.client.remote.Handle;

/** Request-based operations of a window: which epochs allow them, and how they are completed. */
final class Requests {
    private final Gas gas;
    private final Epochs epochs;
    private final GroupRanks members;
    private final LockSync locks;
    private final AccessCheck check;
    private final WindowTransport transport;

    Requests(Gas gas, Epochs epochs, GroupRanks members, LockSync locks, AccessCheck check, WindowTransport transport) {
        this.gas = gas;
        this.epochs = epochs;
        this.members = members;
        this.locks = locks;
        this.check = check;
        this.transport = transport;
    }

    /** For an operation to come. Only epochs of locks have requests: elsewhere the target may not be ready yet. */
    Handle begin(int rank, long displacement) {
        if (!epochs.isPassive()) {
            throw epochs.refuse("request on rank " + rank + " at displacement " + displacement);
        }
        return gas.deferredHandle();
    }

    /** Makes a deferred epoch issue what is queued for a rank. */
    void push(int rank) {
        if (epochs.isPassive()) {
            locks.push(members.of(rank));
        }
    }

    /** A request of an operation on a rank's part is complete. */
    void done(int rank, Handle own) {
        transport.forget(own);
        if (epochs.isPassive()) {
            check.getsDone(members.of(rank));
        }
    }
}
