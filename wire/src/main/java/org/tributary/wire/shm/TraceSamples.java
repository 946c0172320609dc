package org.tributary.wire.shm;

/**
 * Operations that a {@link Trace} does not record one by one, because a record would take long beside them. All are
 * counted. Some are timed and recorded, and each of these stands for those before it as well: first one in two or
 * three, later about one in {@link TraceLayout#SAMPLE}. Chance draws how many are left out, so that a sample does not
 * fall into step with the program. Used by one thread at a time.
 */
public final class TraceSamples {
    private static final int OPERATIONS = TraceOperation.values().length;
    private static final int MOST_LEFT_OUT = 2 * TraceLayout.SAMPLE - 1;

    private final Trace trace;
    /* By the code of the operation. */
    private final int[] left = new int[OPERATIONS]; // to leave out before the next that is recorded
    private final int[] drawn = new int[OPERATIONS]; // so many were left when the last one was recorded
    private final int[] most = new int[OPERATIONS]; // that may be drawn
    private final long[] heldBytes = new long[OPERATIONS];
    private final long[] lastNs = new long[OPERATIONS];
    private int random;

    TraceSamples(Trace trace, int seed) {
        this.trace = trace;
        this.random = seed | 1;
    }

    /** Whether the next operation is recorded however short it is; its caller has the time then. */
    public boolean isDue(TraceOperation what) {
        return left[what.ordinal()] <= 0;
    }

    /** An operation has ended which nobody has timed. */
    void count(TraceOperation what, long bytes) {
        left[what.ordinal()]--;
        heldBytes[what.ordinal()] += bytes;
    }

    /** An operation has ended that took so long, and stands for those before it. */
    void record(TraceOperation what, long beganNs, long durationNs, int peer, long bytes, long segment, long number) {
        int code = what.ordinal();
        trace.record(code, beganNs, durationNs, held(code) + 1, heldBytes[code] + bytes, peer, segment, number);
        lastNs[code] = durationNs;
        most[code] = 2 * most[code] + 1 & MOST_LEFT_OUT;
        random = Chance.next(random);
        drawn[code] = random >>> 1 & most[code];
        left[code] = drawn[code];
        heldBytes[code] = 0;
    }

    /**
     * An operation has ended; recorded if it took long, or is due.
     *
     * @param beganNs when it began, or first took longer than usual; 0 when nobody has looked at the clock
     */
    public void ended(TraceOperation what, long beganNs, int peer, long bytes, long segment, long number) {
        long durationNs = beganNs == 0 ? 0 : System.nanoTime() - beganNs;
        if (durationNs >= TraceLayout.LEAST_WAIT_NS) {
            trace.record(what.ordinal(), beganNs, durationNs, 1, bytes, peer, segment, number);
        } else if (beganNs != 0 && isDue(what)) {
            record(what, beganNs, durationNs, peer, bytes, segment, number);
        } else {
            count(what, bytes);
        }
    }

    /** Records what was counted since the last record of each operation, as if it had taken as long as that. */
    void flush() {
        for (int code = 0; code < OPERATIONS; code++) {
            if (held(code) > 0) {
                trace.record(code, System.nanoTime() - lastNs[code], lastNs[code], held(code), heldBytes[code], -1, 0,
                    0);
                left[code] = drawn[code];
                heldBytes[code] = 0;
            }
        }
    }

    private int held(int code) {
        return drawn[code] - left[code];
    }
}
