package org.tributary.wire.shm;

/**
 * Times of calls that may be as short as looks at the clock are dear: after a short one each call is timed by chance,
 * with the same probability, and stands for as many as that is the share of; after a long one the next is timed for
 * sure. So the counts are right on average whatever the rhythm of a program is (estimator of Horvitz and Thompson,
 * 1952). Used by one thread at a time.
 */
public final class LatencySample {
    /** In place of a time, of a call that is not to be noted. */
    public static final long NOT_TIMED = Long.MIN_VALUE;

    private final Latencies latencies;
    private final LatencyKind kind;
    private int random;
    private boolean isSampling;

    /** Notes calls of that kind. */
    public LatencySample(Latencies latencies, LatencyKind kind) {
        this(latencies, kind, (int) System.nanoTime());
    }

    LatencySample(Latencies latencies, LatencyKind kind, int seed) {
        this.latencies = latencies;
        this.kind = kind;
        this.random = seed | 1;
    }

    /** A call begins; returns what {@link #ended} needs. */
    public long begin() {
        return isSampling && next() >>> Integer.SIZE - Latencies.SAMPLE_BITS != 0 ? NOT_TIMED : System.nanoTime();
    }

    /** It has ended; not called when it fails. Returns when, or {@link #NOT_TIMED}. */
    public long ended(long begin) {
        if (begin == NOT_TIMED) {
            return NOT_TIMED;
        }
        long now = System.nanoTime();
        took(now - begin);
        return now;
    }

    void took(long ns) {
        latencies.took(kind, ns, isSampling ? 1 << Latencies.SAMPLE_BITS : 1);
        isSampling = ns < Latencies.SAMPLED_NS;
    }

    private int next() {
        random = Chance.next(random);
        return random;
    }
}
