package org.tributary.client.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Every wait has a number, and none is lost with a wait that fails. */
class NotificationCountsTest {
    private final NotificationCounts counts = new NotificationCounts();

    @Test
    void shouldCountEachRankByItself() {
        assertEquals(1, counts.next(7));
        assertEquals(2, counts.next(7));
        assertEquals(1, counts.next(8));
    }

    @Test
    void shouldWaitForTheSameWhenTheWaitHasFailed() {
        assertEquals(1, counts.next(7));
        counts.failed(7, 1);
        assertEquals(1, counts.next(7));
        counts.came(7, 1);
        assertEquals(2, counts.next(7));
    }

    @Test
    void shouldGiveLowerNumbersFirstWhenSeveralWaitsHaveFailed() {
        for (int number = 1; number <= 4; number++) {
            assertEquals(number, counts.next(7));
        }
        counts.failed(7, 3);
        counts.failed(7, 1);
        assertEquals(1, counts.next(8));
        assertEquals(1, counts.next(7));
        assertEquals(3, counts.next(7));
        assertEquals(5, counts.next(7));
    }

    @Test
    void shouldRememberTheHighestThatHasCome() {
        counts.came(7, 2);
        counts.came(7, 1);
        assertEquals(2, counts.seen(7));
        assertEquals(0, counts.seen(8));
    }
}
