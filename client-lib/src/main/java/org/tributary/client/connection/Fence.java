package org.tributary.client.connection;

import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WaitSlots;

/**
 * What one thread waits for at one connection: that its server has executed so many requests. Later requests of other
 * threads do not change that. Used again by the thread. Guarded by the lock of the links.
 */
public final class Fence implements Awaited {
    private AckLedger ledger;
    private long count;

    Fence at(AckLedger connection, long requests) {
        ledger = connection;
        count = requests;
        return this;
    }

    @Override
    public boolean isDone() {
        return ledger.hasExecuted(count);
    }

    @Override
    public int block(WaitSlots waits, int node) {
        return waits.begin(WaitKind.FENCE, node, 0, 0);
    }
}
