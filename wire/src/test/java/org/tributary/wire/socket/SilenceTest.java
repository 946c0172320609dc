package org.tributary.wire.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SilenceTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(4);
    private static final long LOOK_NS = TIMEOUT_NS / 4;

    private final Silence silence = new Silence(TIMEOUT_NS);
    private long nowNs = Long.MAX_VALUE - LOOK_NS; // clocks may overflow

    private boolean lookAfter(long pauseNs, int segments, boolean unanswered) {
        nowNs += pauseNs;
        return silence.look(segments, unanswered, nowNs);
    }

    @Test
    void shouldCountAsGoneWithinTimeoutWhenNothingComes() {
        assertEquals(LOOK_NS, Silence.lookNs(TIMEOUT_NS));
        assertFalse(lookAfter(LOOK_NS, 7, true));
        assertFalse(lookAfter(LOOK_NS, 7, true));
        assertFalse(lookAfter(LOOK_NS, 7, true));
        assertTrue(lookAfter(LOOK_NS, 7, true));
        assertTrue(lookAfter(LOOK_NS, 7, true));
    }

    @Test
    void shouldNotCountAsGoneWhenAnythingComes() {
        for (int segments = Integer.MAX_VALUE - 50; segments != Integer.MIN_VALUE + 50; segments++) {
            assertFalse(lookAfter(LOOK_NS, segments, true));
            assertFalse(lookAfter(LOOK_NS, segments, true));
            assertFalse(lookAfter(LOOK_NS, segments, true));
        }
    }

    @Test
    void shouldNotCountAsGoneWhenNothingWasAsked() {
        for (int i = 0; i < 100; i++) {
            assertFalse(lookAfter(LOOK_NS, 7, i % 4 == 0));
        }
    }

    @Test
    void shouldNotCountAsGoneWhenNobodyHasLookedForLong() {
        assertFalse(lookAfter(0, 7, true));
        assertFalse(lookAfter(1000 * TIMEOUT_NS, 7, true), "the one who looks was stopped");
        assertFalse(lookAfter(1000 * TIMEOUT_NS, 7, true));
        assertTrue(lookAfter(1000 * TIMEOUT_NS, 7, true));
    }

    @Test
    void shouldNotCountAsGoneEarlierWhenLookedAtOften() {
        assertFalse(lookAfter(0, 7, true));
        for (int i = 1; i < 300; i++) {
            assertFalse(lookAfter(LOOK_NS / 100, 7, true));
        }
        assertTrue(lookAfter(LOOK_NS / 100, 7, true));
    }
}
