package org.tributary.server;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * How the event loop waits: it polls for {@code spinNs} after the last traffic, because the next request is then likely
 * to come soon and waking a core costs more than a round trip, and blocks in the kernel after that. Owned by the event
 * loop.
 */
final class SpinThenBlock implements SelectStrategy {
    private final long spinNs;
    private long lastTrafficNs;
    private boolean spinning;

    SpinThenBlock(long spinNs) {
        this.spinNs = spinNs;
    }

    /** Something was received. */
    void traffic() {
        spinning = true;
        lastTrafficNs = 0;
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            return selectNow.get();
        }
        if (!spinning) {
            return SelectStrategy.SELECT;
        }
        long nowNs = System.nanoTime();
        if (lastTrafficNs == 0) {
            lastTrafficNs = nowNs; // read the clock here, not for each message
        }
        if (nowNs - lastTrafficNs < spinNs) {
            return SelectStrategy.BUSY_WAIT;
        }
        spinning = false;
        return SelectStrategy.SELECT;
    }
}
