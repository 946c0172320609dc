package org.tributary.nativeclient;

import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;

/** The same in Java as {@code truncated.c}: works until a file of its node is truncated. */
public final class TruncatedRank {
    private static final int BYTES = 16 * 4096;
    /** So often that additions are compiled: one that is interpreted is a load and a compare-and-swap. */
    private static final int COMPILED = 200_000;

    private TruncatedRank() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (Gas gas = Gas.attach()) {
            GlobalMemory memory = gas.allocate(BYTES);
            gas.barrier();
            for (int i = 0; i < COMPILED; i++) {
                memory.fetchAndAdd(gas.rank(), BYTES / 2, 0);
            }
            System.out.println("ready rank " + gas.rank() + " segment " + Long.toHexString(memory.id()));
            if (arguments[0].equals("barrier")) {
                if (gas.rank() == 0) {
                    Thread.sleep(100_000);
                }
                gas.barrier();
            }
            while (arguments[0].equals("notify")) {
                gas.notify(1 - gas.rank());
            }
            int target = arguments[0].equals("ring") ? gas.rankCount() - 1 : gas.rank();
            while (memory.fetchAndAdd(target, BYTES / 2, 1) >= 0) {
                Thread.onSpinWait();
            }
        }
    }
}
