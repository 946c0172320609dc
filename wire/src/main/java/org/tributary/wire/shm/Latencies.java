package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How long a rank's calls have waited for servers, and its collectives and windows for other ranks: how many calls by
 * kind and time, in shared memory, where other processes read them. Noting a time costs an addition and two looks at
 * the clock, of calls that take microseconds.
 *
 * <pre>
 *   for each {@link LatencyKind}: {@link #BUCKETS} counts, int32, which wrap around
 * </pre>
 *
 * <p>The buckets are those of HdrHistogram with a unit of 64 ns and one digit: multiples of 64 ns up to 2 µs, then
 * sixteen for each power of two up to 137 s. Longer times count in the last one. These numbers are for people to
 * read and decides nothing. Thread-safe.
 */
public final class Latencies {
    /** Counts of a kind. */
    public static final int BUCKETS = 448;
    /** Bytes of the counts of a kind. */
    public static final int KIND_BYTES = BUCKETS * Integer.BYTES;
    /** Bytes of all counts of a rank. */
    public static final int BYTES = 9 * KIND_BYTES;
    /** Logarithm of the unit in ns. */
    static final int UNIT_BITS = 6;
    /** Logarithm of the buckets of a power of two. */
    static final int HALF_BITS = 4;
    /** Times are below this power of two ns. */
    static final int LONGEST_BITS = 37;
    /** After a call of a {@link LatencySample} that is shorter, one of this power of two is timed. */
    static final int SAMPLE_BITS = 4;
    static final int SAMPLED_NS = 16 << 10;
    private static final int HALF = 1 << HALF_BITS;
    private static final int MASK = (2 * HALF - 1) << UNIT_BITS;
    private static final long LONGEST_NS = (1L << LONGEST_BITS) - 1;

    private final MemorySegment memory;

    /** The counts of a rank in that memory, which it alone writes. */
    Latencies(MemorySegment memory) {
        this.memory = memory;
    }

    /** Counts that no other process sees. */
    public static Latencies unshared() {
        return new Latencies(MemorySegment.ofArray(new int[BYTES / Integer.BYTES]));
    }

    /** A call of that kind has ended, which began at a time of {@link System#nanoTime}; returns how long it took. */
    public long ended(LatencyKind kind, long beganNs) {
        long ns = System.nanoTime() - beganNs;
        took(kind, ns, 1);
        return ns;
    }

    /** So many calls of that kind have taken about that time. */
    void took(LatencyKind kind, long ns, int calls) {
        MemoryFaults.surface(); // of what the call itself has touched: not caught here
        try {
            SharedWord.getAndAdd(memory, (long) kind.ordinal() * KIND_BYTES + (long) bucket(ns) * Integer.BYTES, calls);
            MemoryFaults.surface(); // not after this, where the thread may hold a lock
        } catch (IllegalStateException | InternalError e) {
            return; // the rank has left, or the file was truncated, which other accesses tell of
        }
    }

    /** The count so far; for tests. */
    int count(LatencyKind kind, int bucket) {
        return memory.get(ValueLayout.JAVA_INT, (long) kind.ordinal() * KIND_BYTES + (long) bucket * Integer.BYTES);
    }

    /** The bucket of a time. */
    public static int bucket(long ns) {
        long time = Math.clamp(ns, 0, LONGEST_NS);
        int octave = Long.SIZE - UNIT_BITS - HALF_BITS - 1 - Long.numberOfLeadingZeros(time | MASK);
        return (octave << HALF_BITS) + (int) (time >>> octave + UNIT_BITS);
    }

    /** The shortest time of a bucket, in ns. */
    public static long shortestNs(int bucket) {
        int octave = Math.max(0, (bucket >> HALF_BITS) - 1);
        return (long) (bucket - (octave << HALF_BITS)) << octave + UNIT_BITS;
    }
}
