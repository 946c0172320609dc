package org.tributary.benchmarks.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.cooperation.ServerProcess;

/** The benchmark at a smaller scale. Nothing is timed: what counts is that the server answers, and its memory. */
class CrowdTest {
    private static final int RANKS = 400;
    private static final int SLOW = 100;
    private static final long MIB = 1 << 20;
    /** Bounds from above are far off, and what is not collected yet only counts against them. */
    private static final Duration SOON = Duration.ofMillis(300);

    @Test
    void shouldTakeLittleMemoryForEachRankThatIsConnected() throws IOException {
        try (Crowd crowd = new Crowd(RANKS, 200, 5, 3)) {
            Crowd.Cost before = crowd.measure(SOON);
            crowd.connect(RANKS);
            Crowd.Cost after = crowd.measure(SOON);
            assertEquals(RANKS, after.ranks());
            long each = (after.residentBytes() - before.residentBytes()) / RANKS;
            assertTrue(each < 128 << 10, () -> each + " bytes for each connection");
        }
    }

    /** A megabyte of answers and a read of requests of each would be 125 MiB. */
    @Test
    void shouldGoOnWithBoundedMemoryWhenConnectionsDoNotTakeTheirAnswers() throws IOException {
        try (Crowd crowd = new Crowd(SLOW + 1, 200, 5, 2)) {
            crowd.connect(1);
            Crowd.Cost before = crowd.measure(SOON);
            crowd.slowDown(SLOW);
            Crowd.Cost after = crowd.measure(ServerProcess.SETTLES);
            assertEquals(SLOW, after.slow());
            long grown = after.residentBytes() - before.residentBytes();
            assertTrue(grown < 96 * MIB, () -> grown + " bytes more");
        }
    }
}
