package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.GasException;

/** Which fences need a message, and when a connection is settled. */
class AckLedgerTest {
    private final LinkSet<ServerLink> unsettled = new LinkSet<>();
    private final AckLedger ledger = new AckLedger(unsettled.membershipOf(null));

    @Test
    void shouldAskOnlyWhenNoRequestUpToThereHasAsked() {
        assertFalse(ledger.isUnasked(0));
        ledger.issued(false, true);
        assertTrue(ledger.isUnasked(1));
        ledger.issued(true, true);
        assertFalse(ledger.isUnasked(1) || ledger.isUnasked(2));
        ledger.issued(false, true);
        assertTrue(ledger.isUnasked(3));
        ledger.askedByFence();
        assertFalse(ledger.isUnasked(3));
    }

    @Test
    void shouldLeaveRequestsOfTheRuntimeOutOfTheProgramsFences() {
        ledger.issued(false, true);
        ledger.issued(false, false);
        assertEquals(1, ledger.fenced());
        assertEquals(2, ledger.issued());
    }

    @Test
    void shouldBeDoneWhenWhatItWaitsForHasBeenExecuted() throws IOException {
        ledger.issued(false, true);
        ledger.issued(false, true);
        Awaited one = new Fence().at(ledger, 1);
        Awaited two = new Fence().at(ledger, 2);
        assertFalse(one.isDone() || two.isDone());
        ledger.executed(1);
        assertTrue(one.isDone(), "another thread waits for two");
        assertFalse(two.isDone() || ledger.areAllExecuted());
        ledger.executed(2);
        assertTrue(one.isDone() && two.isDone() && ledger.areAllExecuted());
    }

    @Test
    void shouldExpectAFreedSegmentWhenAGiveBackThereIsUnderWay() throws IOException {
        ledger.issued(false, true);
        ledger.givesBack(7);
        ledger.issued(false, true);
        assertTrue(ledger.mayBeFreed(7));
        assertFalse(ledger.mayBeFreed(8));
        ledger.executed(1);
        assertFalse(ledger.mayBeFreed(7));
    }

    @Test
    void shouldStayUnsettledUntilTheFirstFailureIsTaken() throws IOException {
        GasException first = new GasException("first");
        ledger.issued(true, true);
        assertEquals(1, unsettled.size());
        ledger.failed(first);
        ledger.failed(new GasException("second"));
        ledger.executed(1);
        assertEquals(1, unsettled.size());
        assertSame(first, ledger.takeFailure());
        assertTrue(unsettled.isEmpty());
        assertNull(ledger.takeFailure());
    }

    @Test
    void shouldStayUnsettledWhenAFailureIsTakenBeforeEverythingIsExecuted() throws IOException {
        ledger.issued(true, true);
        ledger.failed(new GasException("refused"));
        assertEquals("refused", ledger.takeFailure().getMessage());
        assertFalse(unsettled.isEmpty());
        ledger.executed(1);
        assertTrue(unsettled.isEmpty());
    }

    @Test
    void shouldWantToReadWhenManyAcknowledgementsAreDue() throws IOException {
        for (int i = 0; i < 63; i++) {
            ledger.issued(true, true);
            ledger.askedByFence(); // a waiting thread reads its answer
        }
        assertFalse(ledger.areManyUnread());
        ledger.issued(false, true);
        ledger.askedByRequest();
        assertTrue(ledger.areManyUnread());
        ledger.executed(64);
        assertFalse(ledger.areManyUnread());
    }
}
