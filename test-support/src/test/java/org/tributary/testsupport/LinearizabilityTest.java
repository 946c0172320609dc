package org.tributary.testsupport;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.testsupport.Linearizability.Action;
import org.tributary.testsupport.Linearizability.Event;

class LinearizabilityTest {
    @Test
    void shouldHoldWhenOverlappingAnswersFitSomeOrder() {
        assertTrue(Linearizability.holds(List.of(add(5, 3, 0, 10), add(3, 0, 1, 9), swap(7, 8, 5, 20)), 0));
    }

    @Test
    void shouldNotHoldWhenTwoGetTheSameValue() {
        assertFalse(Linearizability.holds(List.of(add(1, 0, 0, 10), add(1, 0, 1, 9)), 0));
    }

    @Test
    void shouldNotHoldWhenLaterOneComesFirst() {
        assertFalse(Linearizability.holds(List.of(add(1, 1, 0, 10), add(1, 0, 11, 20)), 0));
    }

    @Test
    void shouldHoldWhenUnfinishedOneHasHappenedOrNot() {
        Event unfinished = new Event(Action.FETCH_AND_ADD, 4, 0, 0, Long.MAX_VALUE);
        assertTrue(Linearizability.holds(List.of(unfinished, add(1, 4, 5, 10)), 0));
        assertTrue(Linearizability.holds(List.of(unfinished, add(1, 0, 5, 10)), 0));
        assertFalse(Linearizability.holds(List.of(unfinished, add(1, 3, 5, 10)), 0));
    }

    @Test
    void shouldNotHoldWhenReadMissesFinishedWrite() {
        assertFalse(Linearizability.holds(List.of(new Event(Action.WRITE, 7, 0, 0, 5),
            new Event(Action.READ, 0, 0, 6, 8)), 0));
    }

    private static Event add(long operand, long answer, long began, long ended) {
        return new Event(Action.FETCH_AND_ADD, operand, answer, began, ended);
    }

    private static Event swap(long operand, long answer, long began, long ended) {
        return new Event(Action.SWAP, operand, answer, began, ended);
    }
}
