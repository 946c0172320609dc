package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.tributary.wire.Deadline;

class UninterruptedTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong nowNs = new AtomicLong();
    private final AtomicInteger looks = new AtomicInteger();

    private boolean await(long stoppedNs, int comesAt) {
        return Uninterrupted.await(new Deadline(TIMEOUT_NS, nowNs::get), leftNs -> {
            assertTrue(leftNs <= Deadline.LOOK_NS);
            nowNs.addAndGet(stoppedNs);
            return looks.incrementAndGet() == comesAt;
        });
    }

    @Test
    void shouldHaveTimeLeftWhenTheProcessWasStopped() {
        assertTrue(await(TimeUnit.HOURS.toNanos(1), 2));
    }

    @Test
    void shouldLookOnceMoreWhenTheTimeIsOver() {
        assertTrue(await(TimeUnit.HOURS.toNanos(1), 3));
    }

    @Test
    void shouldEndWhenNothingComes() {
        assertFalse(await(Deadline.LOOK_NS, 0));
        assertEquals(11, looks.get());
    }

    @Test
    void shouldWaitOnWhenInterrupted() {
        assertTrue(Uninterrupted.await(TIMEOUT_NS, leftNs -> {
            if (looks.incrementAndGet() == 1) {
                throw new InterruptedException();
            }
            return true;
        }));
        assertTrue(Thread.interrupted());
        assertEquals(2, looks.get());
    }
}
