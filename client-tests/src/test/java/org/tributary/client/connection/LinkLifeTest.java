package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.GasException;

/** A connection is open until it is retired or breaks, and ends in a bounded time. */
class LinkLifeTest {
    private final MemoryTransport transport = new MemoryTransport();
    private final LinkLife life = new LinkLife(transport, TimeUnit.HOURS.toNanos(1));

    @Test
    void shouldThrowTheSameAlwaysWhenItIsBroken() {
        GasException why = new GasException("broken by the test");
        life.checkNotBroken();
        life.breakWith(why);
        assertFalse(life.isOpen());
        assertFalse(life.isRetired());
        assertSame(why, assertThrows(GasException.class, life::checkNotBroken));
        assertSame(why, life.broken());
    }

    @Test
    void shouldCloseWithoutBreakingWhenItRetires() {
        assertTrue(life.isOpen());
        life.retire();
        assertTrue(life.isRetired());
        assertFalse(life.isOpen() || transport.isOpen());
        life.checkNotBroken();
    }

    @Test
    void shouldWaitUntilEverythingIsTakenWhenTheStreamEnds() throws IOException {
        transport.setDrained(false);
        int[] looks = {0};
        life.endStream(() -> transport.setDrained(++looks[0] == 5));
        assertEquals(5, looks[0]);
    }

    @Test
    void shouldGiveUpInTimeWhenTheServerTakesNothing() throws IOException {
        transport.setDrained(false);
        LinkLife impatient = new LinkLife(transport, TimeUnit.MILLISECONDS.toNanos(1));
        impatient.endStream(() -> { });
        assertFalse(transport.drain());
    }
}
