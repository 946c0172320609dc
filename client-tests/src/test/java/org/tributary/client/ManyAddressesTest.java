package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.tributary.client.remote.Traffic;
import org.tributary.client.testing.TestJob;
import org.tributary.fabric.Fabric;

/** A machine has many addresses, and one memory. */
class ManyAddressesTest {
    private static final int LARGE = 300_000;

    @Test
    void shouldUseSharedMemoryWhenServersHaveOtherAddressesOfTheMachine() {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        try (TestJob job = TestJob.startAt("127.0.0.2", "2*1", "network.fabric=shm")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(LARGE);
                int other = 1 - gas.rank();
                MemorySegment source = random(gas.rank(), LARGE);
                MemorySegment back = empty(LARGE);
                memory.put(other, 0, source);
                gas.fence(other);
                Traffic before = gas.traffic();
                memory.put(other, 0, source);
                memory.get(other, 0, back);
                assertSame(source, back, "what the other rank has");
                assertEquals(new Traffic(0, 0), gas.traffic().since(before));
                gas.barrier();
            });
        }
    }
}
