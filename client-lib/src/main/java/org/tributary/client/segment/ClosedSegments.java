package org.tributary.client.segment;

import org.agrona.collections.LongArrayList;

/**
 * Segments that this member of a group has closed while others may still use them. No collective returns on any member
 * before all have called it: when one returns, all members have closed what this one had closed before it. Thread-safe,
 * except that {@link #called} and {@link #takeDue} belong to the thread in the collective.
 */
public final class ClosedSegments {
    private static final long[] NONE = {};

    private final LongArrayList ids = new LongArrayList();
    private volatile boolean any;
    private int due;

    public synchronized void add(long id) {
        ids.add(id);
        any = true;
    }

    /** A collective begins on this member. */
    public void called() {
        due = any ? size() : 0;
    }

    private synchronized int size() {
        return ids.size();
    }

    /** Takes out what all members have closed by the time the collective has returned, oldest first. */
    public long[] takeDue() {
        return due == 0 ? NONE : takeFirst(due);
    }

    /** Everything, also what others still use. */
    public long[] takeAll() {
        return takeFirst(size());
    }

    private synchronized long[] takeFirst(int count) {
        long[] first = new long[count];
        for (int i = 0; i < count; i++) {
            first[i] = ids.getLong(i);
        }
        for (int i = count; i > 0; i--) {
            ids.removeAt(i - 1);
        }
        any = !ids.isEmpty();
        due = 0;
        return first;
    }
}
