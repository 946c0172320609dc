package org.tributary.wire.shm;

/**
 * Times of calls that may be as short as looks at the clock are dear: after a short one, the next {@value
 * Latencies#SAMPLE} - 1 are not timed, and it stands for them. Longer ones are all timed. Used by one thread at a time.
 */
public final class LatencySample {
    private static final long NOT_TIMED = Long.MIN_VALUE;

    private final Latencies latencies;
    private final LatencyKind kind;
    private int untimed;

    /** Notes calls of that kind. */
    public LatencySample(Latencies latencies, LatencyKind kind) {
        this.latencies = latencies;
        this.kind = kind;
    }

    /** A call begins; returns what {@link #ended} needs. */
    public long begin() {
        return untimed > 0 ? NOT_TIMED : System.nanoTime();
    }

    /** It has ended; not called when it fails. */
    public void ended(long begin) {
        if (begin == NOT_TIMED) {
            untimed--;
            return;
        }
        took(System.nanoTime() - begin);
    }

    void took(long ns) {
        boolean isShort = ns < Latencies.SAMPLED_NS;
        untimed = isShort ? Latencies.SAMPLE - 1 : 0;
        latencies.took(kind, ns, isShort ? Latencies.SAMPLE : 1);
    }
}
