package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.link.Links;
import org.tributary.client.segment.NewSegment;

/** Rank 1 has lost its part, as if a member had freed what another one still uses; rank 2 is sent much. */
class FenceFailureTest {
    private static final int LARGE = 8 << 20;

    @Test
    void shouldWaitForAllServersWhenOneHasRefusedSomething() {
        Jobs.run("3*1", gas -> {
            GlobalMemory lost = gas.allocate(8);
            GlobalMemory kept = gas.allocate(LARGE);
            gas.barrier();
            if (gas.rank() == 1) {
                NewSegment.free(gas.access(), lost.id());
            }
            gas.barrier();
            if (gas.rank() == 0) {
                MemorySegment large = Jobs.random(1, LARGE);
                for (int round = 0; round < 3; round++) {
                    lost.put(1, 0, large.asSlice(0, 8));
                    kept.put(2, 0, large);
                    assertThrows(InvalidAddressException.class, gas::fenceAll);
                    assertEquals(List.of(), unsettled(gas), "servers that may not have executed everything");
                }
                gas.fenceAll(); // each failure is told once
            }
            gas.barrier();
        });
    }

    private static List<ServerLink> unsettled(Gas gas) {
        Links links = gas.access().links();
        links.lock().lock();
        try {
            return links.unsettled();
        } finally {
            links.lock().unlock();
        }
    }
}
