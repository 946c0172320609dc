package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;

class SmokeTest {
    @ParameterizedTest
    @ValueSource(strings = {"1*1", "1*3", "2*1", "2*2", "3,1,2"})
    void shouldReadWhatTheNeighbourWroteWhenBarrierPassed(String layout) {
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(1024);
                int right = (gas.rank() + 1) % gas.rankCount();
                memory.putLong(right, 8, 100 + gas.rank());
                gas.barrier();
                int left = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
                assertEquals(100 + left, memory.getLong(gas.rank(), 8));
                assertEquals(100 + gas.rank(), memory.getLong(right, 8));
                memory.fetchAndAdd(0, 0, 1);
                gas.barrier();
                assertEquals(gas.rankCount(), memory.getLong(0, 0));
                memory.free();
            });
        }
    }
}
