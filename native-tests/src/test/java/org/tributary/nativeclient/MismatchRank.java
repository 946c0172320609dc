package org.tributary.nativeclient;

import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.wire.shape.ReduceOp;

/** The Java side of {@code mismatch.c}: the same calls in the same order. */
public final class MismatchRank {
    private MismatchRank() {
    }

    public static void main(String[] arguments) {
        try (Gas gas = Gas.attach()) {
            for (int i = 0; i < 5; i++) {
                gas.barrier();
            }
            differ(gas, arguments[0], gas.rank() == gas.rankCount() - 1);
            System.out.println("rank " + gas.rank() + " got through");
        }
    }

    private static void differ(Gas gas, String how, boolean odd) {
        Group world = gas.world();
        switch (how) {
            case "length" -> world.allreduce(ReduceOp.SUM, new long[odd ? 4 : 2]);
            case "kind" -> {
                if (odd) {
                    world.barrier();
                } else {
                    world.allreduce(ReduceOp.SUM, 1L);
                }
            }
            case "allocate" -> {
                if (odd) {
                    gas.createMutexes(8);
                } else {
                    gas.allocate(512);
                }
            }
            case "free" -> {
                GlobalMemory a = gas.allocate(64);
                GlobalMemory b = gas.allocate(64);
                (odd ? b : a).close();
                world.barrier();
            }
            default -> throw new IllegalArgumentException("no way to differ: " + how);
        }
    }
}
