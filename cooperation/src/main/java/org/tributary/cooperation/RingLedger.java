package org.tributary.cooperation;

import java.util.Arrays;

/**
 * Which bytes of one receive ring are taken. Requests lie in it one after the other, and leave in any order,
 * but room is given back in order only, so that two numbers describe the ring: what was placed, what was freed. The
 * bytes themselves are the {@link Output}'s. Owned by the event loop.
 */
final class RingLedger {
    private final long capacity;
    private long[] ends = new long[4];
    private boolean[] released = new boolean[4];
    private long head;
    private long tail;
    private long placed;
    private long freed;

    RingLedger(int capacity) {
        this.capacity = capacity;
    }

    boolean hasRoom(int lengthInBytes) {
        return CreditLedger.cost(lengthInBytes) <= capacity - (placed - freed);
    }

    /** Where a request goes: bytes since the channel was opened. */
    long place(int lengthInBytes) {
        if (!hasRoom(lengthInBytes)) {
            throw new IllegalArgumentException("a request of " + lengthInBytes + " bytes, more than there is room for");
        }
        if (tail - head == ends.length) {
            grow();
        }
        long position = placed;
        placed += CreditLedger.cost(lengthInBytes);
        int at = at(tail++);
        ends[at] = placed;
        released[at] = false;
        return position;
    }

    void release(long position) {
        long low = head;
        long high = tail - 1;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (ends[at(middle)] > position) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        released[at(low)] = true;
        while (head < tail && released[at(head)]) {
            freed = ends[at(head++)];
        }
    }

    long freed() {
        return freed;
    }

    boolean isEmpty() {
        return placed == freed;
    }

    private int at(long number) {
        return (int) number & ends.length - 1;
    }

    private void grow() {
        long[] moreEnds = new long[2 * ends.length];
        boolean[] moreReleased = new boolean[moreEnds.length];
        for (long number = head; number < tail; number++) {
            int to = (int) number & moreEnds.length - 1;
            moreEnds[to] = ends[at(number)];
            moreReleased[to] = released[at(number)];
        }
        ends = moreEnds;
        released = moreReleased;
    }

    @Override
    public String toString() {
        return placed - freed + " of " + capacity + " bytes, up to " + Arrays.stream(ends).max().orElse(0);
    }
}
