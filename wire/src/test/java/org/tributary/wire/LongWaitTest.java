package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LongWaitTest {
    private static final long S = 1_000_000_000L;

    @Test
    void shouldBeDueWheneverTheWaitHasDoubled() {
        LongWait wait = new LongWait(100 * S);
        assertFalse(wait.takeNotice(109 * S));
        assertTrue(wait.takeNotice(110 * S));
        assertEquals(10, wait.seconds(110 * S));
        assertFalse(wait.takeNotice(119 * S));
        assertTrue(wait.takeNotice(121 * S));
        assertFalse(wait.takeNotice(139 * S));
    }

    @Test
    void shouldBeDueOnceWhenNobodyLookedForLong() {
        LongWait wait = new LongWait(0, S);
        assertTrue(wait.takeNotice(100 * S));
        assertFalse(wait.takeNotice(127 * S));
        assertTrue(wait.takeNotice(128 * S));
    }
}
