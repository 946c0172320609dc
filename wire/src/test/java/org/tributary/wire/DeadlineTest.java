package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long nowNs = Long.MAX_VALUE - SECOND; // clocks may overflow

    private Deadline in(long timeoutNs) {
        return new Deadline(timeoutNs, () -> nowNs);
    }

    @Test
    void shouldEndInTimeWhenTheCallerLooks() {
        Deadline deadline = in(3 * SECOND);
        for (int look = 1; look < 30; look++) {
            nowNs += Deadline.LOOK_NS;
            assertEquals(3 * SECOND - look * Deadline.LOOK_NS, deadline.leftNs());
            assertFalse(deadline.isOver());
        }
        nowNs += Deadline.LOOK_NS;
        assertTrue(deadline.isOver());
    }

    @Test
    void shouldHaveTimeLeftWhenTheProcessWasStopped() {
        Deadline deadline = in(3 * SECOND);
        nowNs += 1000 * SECOND;
        assertEquals(3 * SECOND - SECOND / 2, deadline.leftNs());
        nowNs += 1000 * SECOND;
        assertEquals(2 * SECOND, deadline.leftNs());
        nowNs += SECOND / 4;
        assertEquals(2 * SECOND - SECOND / 4, deadline.leftNs());
    }

    @Test
    void shouldCountAllOfATimeInWhichNobodyCouldLook() {
        Deadline whole = in(9 * SECOND);
        Deadline part = whole.part(5 * SECOND);
        nowNs += 2 * SECOND + 1000;
        part.passed(2 * SECOND);
        assertEquals(3 * SECOND - 1000, part.leftNs());
        assertEquals(7 * SECOND - 1000, whole.leftNs());
        nowNs += 100 * SECOND;
        part.passed(SECOND);
        assertEquals(3 * SECOND - 1000 - SECOND - SECOND / 2, part.leftNs());
    }

    @Test
    void shouldEndWithTheWholeWhenItIsAPart() {
        Deadline whole = in(3 * SECOND);
        Deadline part = whole.part(2 * SECOND);
        for (int look = 0; look < 19; look++) {
            nowNs += Deadline.LOOK_NS;
            assertFalse(part.isOver());
        }
        nowNs += Deadline.LOOK_NS;
        assertTrue(part.isOver());
        assertEquals(SECOND, whole.leftNs());
        assertEquals(SECOND, whole.part(2 * SECOND).leftNs());
        nowNs += SECOND / 2;
        assertFalse(whole.isOver());
        nowNs += SECOND / 2;
        assertTrue(whole.isOver());
    }
}
