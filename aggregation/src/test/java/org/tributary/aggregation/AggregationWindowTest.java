package org.tributary.aggregation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class AggregationWindowTest {
    private static final long MAX_NS = 100;
    private static final long MAX_BYTES = 1000;
    private static final long TRIP_NS = 500;

    private final AggregationWindow window = new AggregationWindow(MAX_NS, MAX_BYTES);

    @Test
    void shouldNotHoldWhenNothingIsUnderWayOrExpected() {
        for (long now = 0; now < 10_000; now += 7) {
            window.arrived(now, 8);
            assertEquals(now, window.closesAt(now, false));
            window.left(8);
        }
    }

    @Test
    void shouldNotHoldWhenArrivalsAreFarApart() {
        for (long now = 0; now < 100_000; now += 3 * MAX_NS) {
            window.arrived(now, 8);
            assertEquals(now, window.closesAt(now, true));
            window.left(8);
        }
    }

    @Test
    void shouldHoldUntilAnswerComesWhenArrivalsAreClose() {
        long now = arriveEvery(10, 40);
        window.arrived(now, 8);
        assertEquals(now + MAX_NS, window.closesAt(now, true));
        assertEquals(now + 20, window.closesAt(now + 20, false));
    }

    @Test
    void shouldCloseWhenBytesAreEnough() {
        long now = arriveEvery(10, 40);
        window.arrived(now, (int) MAX_BYTES);
        assertEquals(now, window.closesAt(now, true));
    }

    @Test
    void shouldWaitForAllWhenTheyHaveComeBackInBodyBefore() {
        long now = 0;
        for (int round = 0; round < 10; round++, now += TRIP_NS) {
            window.answered(now, 3);
            for (int i = 1; i <= 3; i++) {
                window.arrived(now + 10 * i, 8);
            }
            window.left(24);
        }
        window.answered(now, 3);
        window.arrived(now + 10, 8);
        assertEquals(now + MAX_NS, window.closesAt(now + 10, false));
        window.arrived(now + 20, 8);
        assertEquals(now + MAX_NS, window.closesAt(now + 20, false));
        window.arrived(now + 30, 8);
        assertEquals(now + 30, window.closesAt(now + 30, false));
    }

    @Test
    void shouldNotWaitLongWhenTheyComeBackNoMore() {
        shouldWaitForAllWhenTheyHaveComeBackInBodyBefore();
        window.left(24);
        long now = 100 * TRIP_NS;
        int held = 0;
        for (int round = 0; round < 40; round++, now += TRIP_NS) {
            window.answered(now, 3);
            window.arrived(now + 10, 8);
            held += window.closesAt(now + 10, false) > now + 10 ? 1 : 0;
            window.left(8);
        }
        assertTrue(held <= 4, held + " held");
    }

    @Property(tries = 200)
    void shouldNeverHoldLongerThanItMayWhateverHappens(@ForAll long seed) {
        Random random = new Random(seed);
        AggregationWindow held = new AggregationWindow(MAX_NS, MAX_BYTES);
        long now = 0;
        long openedNs = 0;
        int waiting = 0;
        for (int step = 0; step < 500; step++) {
            now += random.nextInt(60);
            if (random.nextInt(3) == 0) {
                held.answered(now, 1 + random.nextInt(5));
            } else {
                openedNs = waiting == 0 ? now : openedNs;
                waiting++;
                held.arrived(now, 8);
            }
            if (waiting > 0) {
                long closesNs = held.closesAt(now, random.nextBoolean());
                assertTrue(closesNs <= Math.max(now, openedNs + MAX_NS));
                if (closesNs <= now) {
                    held.left(8 * waiting);
                    waiting = 0;
                } else {
                    now = Math.min(now + random.nextInt(60), closesNs);
                }
            }
        }
    }

    private long arriveEvery(long gapNs, int times) {
        for (int i = 0; i < times; i++) {
            window.arrived(i * gapNs, 8);
            window.left(8);
        }
        return times * gapNs;
    }
}
