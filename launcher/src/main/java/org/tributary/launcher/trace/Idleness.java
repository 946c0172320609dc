package org.tributary.launcher.trace;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * For how long all threads of a rank waited at once, of those that were there: a thread counts from its first record to
 * its last. A rank whose one thread listens does not idle while another, which has recorded before and will again,
 * computes; one that has no record left is not known. Not thread-safe.
 */
final class Idleness {
    /** Kinds of events, which stand in this order where they are at one time. */
    private static final int BIRTH = 0;
    private static final int WAIT = 1;
    private static final int WAKE = 2;
    private static final int DEATH = 3;
    private static final int KIND_BITS = 2;

    private final long fromNs;
    /** Their times from {@link #fromNs} on, and kinds. */
    private long[] events = new long[1024];
    private int size;
    private final Map<Integer, long[]> lives = new HashMap<>();

    /** What was before counts from there. */
    Idleness(long fromNs) {
        this.fromNs = fromNs;
    }

    /** The thread of the record was there then. */
    void lives(TraceRecord record) {
        long end = record.beganNs() + record.durationNs();
        long[] life = lives.computeIfAbsent(record.thread(), first -> new long[] {record.beganNs(), end});
        life[0] = Math.min(life[0], record.beganNs());
        life[1] = Math.max(life[1], end);
    }

    /** The thread of the record waited then, and in no other wait of the kind. */
    void waits(TraceRecord record) {
        add(record.beganNs(), WAIT, record.beganNs() + record.durationNs(), WAKE);
    }

    private void add(long beganNs, int first, long endedNs, int last) {
        if (endedNs > fromNs) {
            add(beganNs, first);
            add(endedNs, last);
        }
    }

    private void add(long ns, int kind) {
        if (size == events.length) {
            events = Arrays.copyOf(events, 2 * size);
        }
        events[size++] = Math.max(0, ns - fromNs) << KIND_BITS | kind;
    }

    /** The sum; called once. */
    long ns() {
        lives.values().forEach(life -> add(life[0], BIRTH, life[1], DEATH));
        Arrays.sort(events, 0, size);
        long sum = 0;
        long lastNs = 0;
        int living = 0;
        int waiting = 0;
        for (int i = 0; i < size; i++) {
            long ns = events[i] >> KIND_BITS;
            sum += living > 0 && waiting == living ? ns - lastNs : 0;
            lastNs = ns;
            switch ((int) events[i] & (1 << KIND_BITS) - 1) {
                case BIRTH -> living++;
                case WAIT -> waiting++;
                case WAKE -> waiting--;
                default -> living--;
            }
        }
        return sum;
    }
}
