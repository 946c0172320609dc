package org.tributary.testsupport;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether operations on one word that overlapped in time can have happened one after the other, each at some moment
 * between its beginning and its end (Herlihy and Wing, Linearizability). Searches for such an order, remembering what
 * did not lead to one (Wing and Gong, Testing and Verifying Concurrent Objects, with the memory of Lowe). What never
 * ended may have happened or not.
 */
public final class Linearizability {
    /** Operations of one history that it can deal with. */
    public static final int MAX_EVENTS = 62;

    /** Kinds of operations on a word. */
    public enum Action {
        /** Answers with the word. */
        READ,
        /** Replaces it. */
        WRITE,
        /** Adds to it. */
        ADD,
        /** Replaces it and answers with what was there. */
        SWAP,
        /** Adds to it and answers with what was there. */
        FETCH_AND_ADD
    }

    /**
     * An operation as its caller saw it.
     *
     * @param operand what was added or written
     * @param answer what it returned, where it does
     * @param beganNs before it was called
     * @param endedNs after it had returned; {@link Long#MAX_VALUE} when it never did
     */
    public record Event(Action action, long operand, long answer, long beganNs, long endedNs) {
        boolean isOver() {
            return endedNs != Long.MAX_VALUE;
        }

        boolean mayAnswer(long word) {
            return action == Action.WRITE || action == Action.ADD || !isOver() || answer == word;
        }

        long apply(long word) {
            return switch (action) {
                case READ -> word;
                case WRITE, SWAP -> operand;
                case ADD, FETCH_AND_ADD -> word + operand;
            };
        }
    }

    private record Reached(long happened, long word) {
    }

    private final List<Event> events;
    private final Set<Reached> dead = new HashSet<>();
    private final long mustHappen;

    private Linearizability(List<Event> events) {
        this.events = new ArrayList<>(events);
        this.events.sort(Comparator.comparingLong(Event::beganNs));
        long all = 0;
        for (int i = 0; i < this.events.size(); i++) {
            all |= this.events.get(i).isOver() ? 1L << i : 0;
        }
        mustHappen = all;
    }

    /** Whether there is such an order for a word that was {@code initial} at first. */
    public static boolean holds(List<Event> events, long initial) {
        if (events.size() > MAX_EVENTS) {
            throw new IllegalArgumentException(events.size() + " events, at most " + MAX_EVENTS);
        }
        return new Linearizability(events).search(0, initial);
    }

    private boolean search(long happened, long word) {
        if ((happened & mustHappen) == mustHappen) {
            return true;
        }
        if (!dead.add(new Reached(happened, word))) {
            return false;
        }
        long firstEndNs = Long.MAX_VALUE;
        for (int i = 0; i < events.size(); i++) {
            if ((happened & 1L << i) == 0) {
                firstEndNs = Math.min(firstEndNs, events.get(i).endedNs());
            }
        }
        for (int i = 0; i < events.size(); i++) {
            Event event = events.get(i);
            boolean isNext = (happened & 1L << i) == 0 && event.beganNs() <= firstEndNs;
            if (isNext && event.mayAnswer(word) && search(happened | 1L << i, event.apply(word))) {
                return true;
            }
        }
        return false;
    }
}
