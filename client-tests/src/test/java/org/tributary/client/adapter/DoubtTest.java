package org.tributary.client.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.client.connection.Callback;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.JobAbortedException;

/** When an operation by the adapter counts as one that never ends. */
class DoubtTest {
    private static final long LATE = Doubt.AFTER_NS + 1;

    private static final GasException GONE =
        new InvalidAddressException("segment does not exist (freed?)", 1, 2, 0, 8, 0);

    private final List<Callback> asked = new ArrayList<>();
    private final Doubt doubt = new Doubt(asked::add);

    private void answer(GasException failure) {
        asked.removeFirst().completed(failure);
    }

    @Test
    void shouldEndItWhenTheMemoryIsGone() {
        assertFalse(doubt.checkOldest(1, 0));
        assertFalse(doubt.checkOldest(1, LATE - 1));
        assertEquals(0, asked.size());
        assertFalse(doubt.checkOldest(1, LATE));
        assertFalse(doubt.checkOldest(1, 3 * LATE));
        assertEquals(1, asked.size());
        answer(GONE);
        assertFalse(doubt.checkOldest(1, 4 * LATE));
        assertFalse(doubt.checkOldest(1, 5 * LATE - 1));
        assertTrue(doubt.checkOldest(1, 5 * LATE));
    }

    @Test
    void shouldAskAgainAndGoOnWaitingWhenTheMemoryIsThere() {
        for (int i = 0; i < 5; i++) {
            assertFalse(doubt.checkOldest(1, 2 * i * LATE));
            assertFalse(doubt.checkOldest(1, (2 * i + 1) * LATE));
            answer(null);
        }
        assertEquals(0, asked.size());
    }

    @Test
    void shouldForgetWhenOperationsEnd() {
        for (int i = 1; i < 5; i++) {
            assertFalse(doubt.checkOldest(i, i * LATE));
        }
        assertEquals(0, asked.size());
        assertFalse(doubt.checkOldest(4, 5 * LATE));
        assertFalse(doubt.checkOldest(5, 6 * LATE));
        answer(GONE);
        assertFalse(doubt.checkOldest(5, 6 * LATE + 1));
        assertFalse(doubt.checkOldest(5, 7 * LATE));
        assertFalse(doubt.checkOldest(5, 8 * LATE));
        assertEquals(1, asked.size());
    }

    @Test
    void shouldKnowNothingWhenTheAnswerIsDroppedAsTheRankLeaves() {
        assertFalse(doubt.checkOldest(1, 0));
        assertFalse(doubt.checkOldest(1, LATE));
        answer(new JobAbortedException("rank 0 leaves the job"));
        assertFalse(doubt.checkOldest(1, 2 * LATE));
        assertFalse(doubt.checkOldest(1, 3 * LATE));
    }
}
