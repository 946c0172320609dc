package org.tributary.client.remote;

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
        Awaited all = operations.allSoFar();
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
        Awaited one = operations.allSoFar();
        assertFalse(one.isDone()); // ends a phase
        int between = operations.begin();
        Awaited two = operations.allSoFar();
        operations.end(between);
        assertFalse(one.isDone());
        assertFalse(two.isDone());
        operations.end(before[0]);
        assertFalse(one.isDone());
        assertFalse(two.isDone());
        operations.end(before[1]);
        assertTrue(one.isDone());
        assertTrue(two.isDone());
    }

    /** There is always something under way; phases are used over and over. */
    @Test
    void shouldReturnEachTimeWhenOthersIssueForEver() {
        int last = operations.begin();
        for (int round = 0; round < 100; round++) {
            Awaited all = operations.allSoFar();
            assertFalse(all.isDone(), "round " + round);
            int next = operations.begin();
            operations.end(last);
            assertTrue(all.isDone(), "round " + round);
            last = next;
        }
    }

    @Test
    void shouldNotWaitWhenNothingIsUnderWay() {
        assertTrue(operations.allSoFar().isDone());
    }
}
