package org.tributary.client.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.tributary.client.connection.Awaited;

/** Who waits for all operations waits for those that were issued before, whatever is issued from then on. */
class OperationsTest {
    private final Operations operations = new Operations();

    @Test
    void shouldNotWaitForWhatIsIssuedLater() {
        int first = operations.begin();
        long phase = operations.phase();
        assertTrue(operations.tryEndPhase(phase));
        Awaited all = operations.complete(phase);
        assertFalse(all.isDone());
        int later = operations.begin();
        operations.end(first);
        assertTrue(all.isDone());
        operations.end(later);
        assertTrue(all.isDone());
    }

    @Test
    void shouldWaitForEveryOneThatWasIssuedBefore() {
        int[] before = {operations.begin(), operations.begin()};
        long one = operations.phase();
        assertTrue(operations.tryEndPhase(one));
        int between = operations.begin();
        long two = operations.phase();
        assertFalse(operations.tryEndPhase(two), "the phase before is not complete");
        operations.end(between);
        assertFalse(operations.tryEndPhase(two));
        operations.end(before[0]);
        assertFalse(operations.complete(one).isDone());
        assertFalse(operations.canEnd(two).isDone());
        operations.end(before[1]);
        assertTrue(operations.complete(one).isDone());
        assertTrue(operations.canEnd(two).isDone());
        assertTrue(operations.tryEndPhase(two));
        assertTrue(operations.complete(two).isDone());
    }

    /** Only one of those who wait for a phase ends it; it stays ended for the others, whatever begins. */
    @Test
    void shouldBeEndedForEverybodyWhenOneHasEndedIt() {
        int first = operations.begin();
        long phase = operations.phase();
        assertTrue(operations.tryEndPhase(phase));
        operations.begin();
        assertTrue(operations.tryEndPhase(phase));
        assertEquals(phase + 1, operations.phase());
        operations.end(first);
        assertTrue(operations.tryEndPhase(phase + 1));
        assertTrue(operations.canEnd(phase).isDone());
        assertTrue(operations.complete(phase).isDone());
        assertFalse(operations.complete(phase + 1).isDone());
    }

    /** There is always something under way; phases are used over and over. */
    @Test
    void shouldReturnEachTimeWhenOthersIssueForEver() {
        int last = operations.begin();
        for (int round = 0; round < 100; round++) {
            long phase = operations.phase();
            assertTrue(operations.tryEndPhase(phase), "round " + round);
            assertFalse(operations.complete(phase).isDone(), "round " + round);
            int next = operations.begin();
            operations.end(last);
            assertTrue(operations.complete(phase).isDone(), "round " + round);
            last = next;
        }
    }

    @Test
    void shouldNotWaitWhenNothingIsUnderWay() {
        assertTrue(operations.tryEndPhase(operations.phase()));
        assertTrue(operations.complete(0).isDone());
    }
}
