package org.tributary.benchmarks.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.benchmarks.cooperation.MemoryMeasurement.Held;
import org.tributary.benchmarks.cooperation.MemoryMeasurement.Holding;

class MemoryMeasurementTest {
    private static final long BLOCK_BYTES = 64 << 10;

    /**
     * 12 processes a node; groups of two on 4 nodes, of three on 9. A few connections without blocks take less than the
     * resident set of a JVM may vary by itself: nobody looks at it, and it need not settle.
     */
    @ParameterizedTest
    @CsvSource({"NONE, 4, 48, 0", "RING_EACH, 4, 37, 36", "PROCESS, 9, 62, 60", "NODE, 9, 18, 16"})
    void shouldHoldEverySourceAndItsBlockWhenAllUseIt(Holding holding, int nodes, int connections, int blocks)
        throws IOException {
        Held held = new MemoryMeasurement(0, result -> { }, note -> { }).measure(holding, nodes,
            blocks == 0 ? Duration.ZERO : ServerProcess.SETTLES);
        assertEquals(connections, held.channels());
        assertTrue(blocks == 0 || held.bytes() >= blocks * BLOCK_BYTES / 2, held::toString);
    }
}
