package org.tributary.aggregation;

import java.util.Arrays;

/**
 * Requests that wait for one channel, first in, first out: where their bytes lie, whom they are from, and what decides
 * whether two of them can become one. Requests are named by their number in the queue, which grows for ever.
 */
public final class RequestQueue {
    /** Kinds of requests: how the target completes them, and which of them can be combined. */
    public enum Kind {
        /** Counted by the target, not answered. */
        ONE_WAY,
        /** Answered under a ticket. */
        ANSWERED,
        /** Answered under a ticket; several on one word can be one. */
        FETCH_AND_ADD,
        /** Counted by the target; several on one range can be one. */
        ACCUMULATE;

        /** Whether the target counts it and does not answer. */
        public boolean isOneWay() {
            return this == ONE_WAY || this == ACCUMULATE;
        }
    }

    private static final int INITIAL = 4;

    private long head;
    private long tail;
    private Kind[] kinds = new Kind[INITIAL];
    private int[] sources = new int[INITIAL];
    private long[] positions = new long[INITIAL];
    private int[] lengths = new int[INITIAL];
    private int[] waiters = new int[INITIAL];
    private long[] segments = new long[INITIAL];
    private int[] ranks = new int[INITIAL];
    private long[] offsets = new long[INITIAL];
    private long[] forms = new long[INITIAL];
    private long[] values = new long[INITIAL];

    /** The number of the first request. */
    public long head() {
        return head;
    }

    /** One more than the number of the last request. */
    public long tail() {
        return tail;
    }

    public boolean isEmpty() {
        return head == tail;
    }

    /**
     * Appends a request.
     *
     * @param waiter first of the list of its waiters
     * @return its number
     */
    public long add(Kind kind, int source, long position, int length, int waiter) {
        if (tail - head == kinds.length) {
            grow();
        }
        int at = at(tail);
        kinds[at] = kind;
        sources[at] = source;
        positions[at] = position;
        lengths[at] = length;
        waiters[at] = waiter;
        return tail++;
    }

    /**
     * Records the fields by which another request is found that can be combined with this one, and its value.
     *
     * @param form type, width, length: all by which requests of one kind differ besides
     * @param value the operand of a fetch-and-add, the scale of an accumulate
     */
    public void describe(long number, long segment, int rank, long offset, long form, long value) {
        int at = at(number);
        segments[at] = segment;
        ranks[at] = rank;
        offsets[at] = offset;
        forms[at] = form;
        values[at] = value;
    }

    boolean isOn(long number, Kind kind, long segment, int rank, long offset, long form) {
        int at = at(number);
        return kinds[at] == kind && segments[at] == segment && ranks[at] == rank && offsets[at] == offset
            && forms[at] == form;
    }

    /** Takes the first request out. */
    public void remove() {
        head++;
    }

    /** How the target completes it, and whether it can be combined with others. */
    public Kind kind(long number) {
        return kinds[at(number)];
    }

    /** In whose receive ring its bytes lie. */
    public int source(long number) {
        return sources[at(number)];
    }

    /** Where in the ring. */
    public long position(long number) {
        return positions[at(number)];
    }

    /** How many bytes it has. */
    public int length(long number) {
        return lengths[at(number)];
    }

    /** First of the list of its waiters. */
    public int waiter(long number) {
        return waiters[at(number)];
    }

    /** The width of a fetch-and-add, type and length of an accumulate. */
    public long form(long number) {
        return forms[at(number)];
    }

    /** The operand of a fetch-and-add, the scale of an accumulate. */
    public long value(long number) {
        return values[at(number)];
    }

    public void value(long number, long value) {
        values[at(number)] = value;
    }

    private int at(long number) {
        return (int) number & kinds.length - 1;
    }

    private void grow() {
        int capacity = kinds.length;
        int from = at(head);
        kinds = Arrays.copyOf(kinds, 2 * capacity);
        sources = Arrays.copyOf(sources, 2 * capacity);
        positions = Arrays.copyOf(positions, 2 * capacity);
        lengths = Arrays.copyOf(lengths, 2 * capacity);
        waiters = Arrays.copyOf(waiters, 2 * capacity);
        segments = Arrays.copyOf(segments, 2 * capacity);
        ranks = Arrays.copyOf(ranks, 2 * capacity);
        offsets = Arrays.copyOf(offsets, 2 * capacity);
        forms = Arrays.copyOf(forms, 2 * capacity);
        values = Arrays.copyOf(values, 2 * capacity);
        for (Object array : new Object[] {kinds, sources, positions, lengths, waiters, segments, ranks, offsets, forms,
            values}) {
            unwrap(array, from, capacity, at(head));
        }
    }

    /** Puts in order what wrapped around at the old capacity: numbers keep their place modulo the new one. */
    private static void unwrap(Object array, int from, int capacity, int to) {
        if (to == from) {
            System.arraycopy(array, 0, array, capacity, from);
        } else {
            System.arraycopy(array, from, array, to, capacity - from);
        }
    }
}
