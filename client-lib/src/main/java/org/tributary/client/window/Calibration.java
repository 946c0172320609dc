package org.tributary.client.window;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.wire.shape.ReduceOp;

/**
 * Measures the parameters of the cost model on the group itself: medians of a few round trips, of a few transfers of 64
 * KiB, and of a few barriers. Member 0 measures towards the first member of another node, or the next one if there is
 * none, while the others wait; all get what it found. About 2 ms.
 */
final class Calibration {
    private static final int WARM_UP = 20;
    private static final int ROUND_TRIPS = 31;
    private static final int TRANSFERS = 9;
    private static final int BARRIERS = 9;
    private static final int TRANSFER_BYTES = 64 * 1024;
    /** No byte is faster than this, however the measurement was disturbed: 50 GB/s. */
    private static final double LEAST_BETA_NS = 0.02;
    /** What a small message costs its sender, as a part of alpha: several share one system call. */
    private static final double SEND_PART = 0.1;

    private final Gas gas;
    private final Group group;

    private Calibration(Gas gas, Group group) {
        this.gas = gas;
        this.group = group;
    }

    /** Measures; collective over the group. */
    static CostModel measure(Gas gas, Group group) {
        return new Calibration(gas, group).measure();
    }

    private CostModel measure() {
        double[] found = new double[3];
        if (group.size() > 1) {
            GlobalMemory memory = gas.allocate(group, TRANSFER_BYTES);
            if (group.rank() == 0) {
                messages(memory, target(), found);
            }
            long[] barriers = new long[BARRIERS];
            for (int i = 0; i < BARRIERS; i++) {
                long beganNs = System.nanoTime();
                group.barrier();
                barriers[i] = System.nanoTime() - beganNs;
            }
            if (group.rank() == 0) {
                found[2] = median(barriers) / (32 - Integer.numberOfLeadingZeros(group.size() - 1));
            }
            memory.free();
            group.allreduce(ReduceOp.SUM, found);
        }
        return new CostModel(found[0], found[1], found[2], found[0] * SEND_PART, group.size());
    }

    private int target() {
        for (int member = 1; member < group.size(); member++) {
            if (!gas.sameNode(group.worldRank(member))) {
                return group.worldRank(member);
            }
        }
        return group.worldRank(1);
    }

    private void messages(GlobalMemory memory, int rank, double[] found) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(TRANSFER_BYTES, Long.BYTES);
            long[] roundTrips = new long[ROUND_TRIPS];
            for (int i = -WARM_UP; i < ROUND_TRIPS; i++) {
                long beganNs = System.nanoTime();
                memory.get(rank, 0, buffer, 0, Long.BYTES);
                roundTrips[Math.max(i, 0)] = System.nanoTime() - beganNs;
            }
            long[] transfers = new long[TRANSFERS];
            for (int i = -2; i < TRANSFERS; i++) {
                long beganNs = System.nanoTime();
                memory.put(rank, 0, buffer);
                gas.fence(rank);
                transfers[Math.max(i, 0)] = System.nanoTime() - beganNs;
            }
            found[0] = median(roundTrips) / 2;
            found[1] = Math.max((median(transfers) - median(roundTrips)) / TRANSFER_BYTES, LEAST_BETA_NS);
        }
    }

    private static double median(long... times) {
        Arrays.sort(times);
        return times[times.length / 2];
    }
}
