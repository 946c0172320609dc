package org.tributary.client.window;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.remote.Handle;
import org.tributary.wire.shape.ReduceOp;

/**
 * Measures the parameters of the cost model on the group itself: medians of a few round trips, of a few transfers of 64
 * KiB, and of a few barriers. Member 0 measures towards the first member of another node, or the next one if there is
 * none, while the others wait; all get what it found. How much of a transfer computation hides, all find out together,
 * each with the next member, as they would in an epoch. About 5 ms on two nodes, once for all windows of a group.
 */
final class Calibration {
    private static final int WARM_UP = 20;
    private static final int ROUND_TRIPS = 31;
    private static final int TRANSFERS = 9;
    private static final int BARRIERS = 9;
    private static final int OVERLAPS = 5;
    /** Where ranks share processors, fewer transfers have to do. */
    private static final long MAX_OVERLAP_NS = 10_000_000;
    private static final int TRANSFER_BYTES = 64 * 1024;
    /** Enough that a thread sends it while the rank computes. */
    private static final int OVERLAP_BYTES = 256 * 1024;
    private static final int BLOCK_BYTES = 16 * 1024;
    /** No byte is faster than this, however the measurement was disturbed: 50 GB/s. */
    private static final double LEAST_BETA_NS = 0.02;
    /** Cost of a small message at its sender, as a part of alpha: several share one system call. */
    private static final double SEND_PART = 0.1;

    private final Gas gas;
    private final Group group;
    private final double[] found = new double[3];
    private final double[] hidden = new double[1];
    private final CRC32 checksum = new CRC32();
    private final byte[] block = new byte[BLOCK_BYTES];

    private Calibration(Gas gas, Group group) {
        this.gas = gas;
        this.group = group;
    }

    /** Costs as measured for the group's first window, or measured now; collective over the group. */
    static CostModel of(Gas gas, Group group) {
        return group.attribute(CostModel.class, () -> new Calibration(gas, group).measure());
    }

    private CostModel measure() {
        if (group.size() > 1) {
            GlobalMemory memory = gas.allocate(group, OVERLAP_BYTES);
            try (Arena arena = Arena.ofShared()) {
                MemorySegment buffer = arena.allocate(OVERLAP_BYTES, Long.BYTES);
                if (group.rank() == 0) {
                    messages(memory, target(0), buffer.asSlice(0, TRANSFER_BYTES));
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
                overlap(memory, buffer);
            }
            memory.close();
            group.allreduce(ReduceOp.SUM, found);
            group.allreduce(ReduceOp.MIN, hidden); // the member that hides least determines how long an epoch is
        }
        return new CostModel(found[0], found[1], found[2], found[0] * SEND_PART, hidden[0], group.size());
    }

    /** Computation about as long as a transfer, the transfer, and both at once; what both save is hidden. */
    private void overlap(GlobalMemory memory, MemorySegment buffer) {
        int next = target(group.rank());
        if (gas.sameNode(next)) {
            return; // this rank copies by itself
        }
        Handle handle = gas.deferredHandle();
        long[][] times = new long[3][OVERLAPS];
        int blocks = 0;
        int measured = 0;
        long untilNs = System.nanoTime() + MAX_OVERLAP_NS;
        for (int i = -1; i < 1 || i < OVERLAPS && System.nanoTime() < untilNs; i++) {
            long beganNs = System.nanoTime();
            memory.nbPut(handle, next, 0, buffer, 0, OVERLAP_BYTES);
            complete(handle, next);
            long sentNs = System.nanoTime();
            blocks = i < 0 ? blocksWithin(sentNs - beganNs) : blocks;
            long computesNs = System.nanoTime();
            compute(blocks);
            long bothNs = System.nanoTime();
            memory.nbPut(handle, next, 0, buffer, 0, OVERLAP_BYTES);
            compute(blocks);
            complete(handle, next);
            times[0][Math.max(i, 0)] = sentNs - beganNs;
            times[1][Math.max(i, 0)] = bothNs - computesNs;
            times[2][Math.max(i, 0)] = System.nanoTime() - bothNs;
            measured = i + 1;
        }
        double transfer = median(Arrays.copyOf(times[0], measured));
        double computation = median(Arrays.copyOf(times[1], measured));
        double both = median(Arrays.copyOf(times[2], measured));
        hidden[0] = Math.clamp((transfer + computation - both) / Math.min(transfer, computation), 0, 1);
    }

    private void complete(Handle handle, int rank) {
        handle.await();
        gas.fence(rank);
    }

    /** The computation's speed is the same from its first call on, as neither the compiler nor memory matters to it. */
    private void compute(int blocks) {
        for (int i = 0; i < blocks; i++) {
            checksum.update(block);
        }
    }

    private int blocksWithin(long ns) {
        int blocks = 0;
        for (long beganNs = System.nanoTime(); System.nanoTime() - beganNs < ns; blocks++) {
            compute(1);
        }
        return blocks;
    }

    /** The next member on another node than a member's, or the next one if there is none. */
    private int target(int from) {
        int size = group.size();
        return group.worldRank(IntStream.range(1, size).map(distance -> (from + distance) % size)
            .filter(member -> !gas.sameNode(group.worldRank(member))).findFirst().orElse((from + 1) % size));
    }

    private void messages(GlobalMemory memory, int rank, MemorySegment buffer) {
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

    private static double median(long... times) {
        Arrays.sort(times);
        return times[times.length / 2];
    }
}
