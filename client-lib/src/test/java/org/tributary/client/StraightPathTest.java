package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.client.testing.TestJob;

/** Large contiguous transfers go straight to the target's server when nodes cooperate; the order stays. */
@Timeout(60)
class StraightPathTest {
    private static final int BYTES = 1 << 20;
    private static final String LAYOUT = "4*1 aggregate";

    @Test
    void shouldSendOneMessageWhenATransferIsLarge() {
        try (TestJob job = TestJob.start(LAYOUT)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(BYTES);
                MemorySegment data = Jobs.random(gas.rank(), BYTES);
                MemorySegment back = Jobs.empty(BYTES);
                for (int target = 0; target < gas.rankCount(); target++) {
                    gas.barrier();
                    if (gas.rank() == 0 && target != 0) {
                        gas.fenceAll();
                        long before = gas.traffic().requests();
                        memory.put(target, 0, data, 0, BYTES);
                        gas.fence(target);
                        memory.get(target, 0, back, 0, BYTES);
                        long messages = gas.traffic().requests() - before;
                        assertTrue(messages <= 3, () -> messages + " messages");
                        Jobs.assertSame(data, back, "rank " + gas.rank());
                    }
                }
                gas.barrier();
            });
        }
    }

    @Test
    void shouldKeepOrderWhenLargeAndSmallTransfersAlternate() {
        try (TestJob job = TestJob.start(LAYOUT, "cooperation.direct-connections=1")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate((long) gas.rankCount() * BYTES);
                MemorySegment data = Jobs.random(gas.rank(), BYTES);
                MemorySegment back = Jobs.empty(BYTES);
                long mine = (long) gas.rank() * BYTES;
                for (int i = 0; i < 60; i++) {
                    int target = (gas.rank() + 1 + i / 2 % (gas.rankCount() - 1)) % gas.rankCount();
                    memory.put(target, mine, data, 0, 20_000 + i);
                    memory.putLong(target, mine + 8, i);
                    assertEquals(i, memory.getLong(target, mine + 8));
                    memory.get(target, mine, back, 0, 20_000 + i);
                    assertEquals(i, back.get(java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED, 8));
                    assertEquals(-1, MemorySegment.mismatch(data, 16, 20_000 + i, back, 16, 20_000 + i));
                    if (i % 3 == 0) {
                        gas.fence(target);
                    }
                }
                gas.barrier();
            });
        }
    }

    @Test
    void shouldTakeTheRouteWhenServersAdmitNoMore() {
        try (TestJob job = TestJob.start(LAYOUT, "cooperation.server-connections=0")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(BYTES);
                MemorySegment data = Jobs.random(gas.rank(), BYTES);
                int target = (gas.rank() + 3) % gas.rankCount();
                MemorySegment back = Jobs.empty(BYTES);
                memory.put(target, 0, data, 0, BYTES);
                memory.get(target, 0, back, 0, BYTES);
                Jobs.assertSame(data, back, "rank " + gas.rank());
                gas.barrier();
            });
        }
    }
}
