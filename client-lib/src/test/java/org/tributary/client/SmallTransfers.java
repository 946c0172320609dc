package org.tributary.client;

import org.tributary.client.adapter.Threshold;

/** Has the adapter of a rank move small data too, so that tests of everything else also test it. Stateless. */
public final class SmallTransfers {
    private SmallTransfers() {
    }

    /** From so many bytes on, if the rank has an adapter. */
    public static void byAdapter(Gas gas, int bytes) {
        if (gas.access().adapter() != null) {
            Threshold.set(gas.access().adapter(), bytes);
        }
    }
}
