package org.tributary.client.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Every wait has a number, and none is lost with a wait that fails. */
class NotificationCountsTest {
    private final NotificationCounts counts = new NotificationCounts();

    @Test
    void shouldCountEachRankByItself() {
        assertEquals(1, counts.begin(7).number());
        assertEquals(2, counts.begin(7).number());
        assertEquals(1, counts.begin(8).number());
    }

    @Test
    void shouldWaitForTheSameWhenTheWaitHasFailed() {
        counts.end(counts.begin(7), false);
        NotificationCounts.Wait again = counts.begin(7);
        assertEquals(1, again.number());
        counts.end(again, true);
        assertEquals(2, counts.begin(7).number());
    }

    /** Else it would wait for one more than come. */
    @Test
    void shouldGiveTheNotificationToTheThreadBehindWhenTheWaitHasFailed() {
        NotificationCounts.Wait first = counts.begin(7);
        NotificationCounts.Wait second = counts.begin(7);
        NotificationCounts.Wait ofAnother = counts.begin(8);
        NotificationCounts.Wait third = counts.begin(7);
        counts.end(second, false);
        assertEquals(1, first.number());
        assertEquals(2, third.number());
        assertEquals(1, ofAnother.number());
        counts.end(first, false);
        assertEquals(1, third.number());
        assertEquals(2, counts.begin(7).number());
    }

    @Test
    void shouldLeaveTheNotificationWhenTheWaitHasFailedAfterALaterOneCame() {
        NotificationCounts.Wait first = counts.begin(7);
        NotificationCounts.Wait second = counts.begin(7);
        counts.end(second, true); // two have come
        counts.end(first, false);
        NotificationCounts.Wait next = counts.begin(7);
        assertEquals(2, next.number());
        assertEquals(2, next.seen());
    }

    @Test
    void shouldRememberTheHighestThatHasCome() {
        NotificationCounts.Wait first = counts.begin(7);
        NotificationCounts.Wait second = counts.begin(7);
        counts.end(second, true);
        counts.end(first, true);
        assertEquals(2, counts.begin(7).seen());
        assertEquals(0, counts.begin(8).seen());
    }
}
