package org.tributary.benchmarks.measure;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Times every iteration of an operation. The clock is read once an iteration, so each time contains one reading of the
 * clock (25 to 77 ns, as the machine has it), which is much of what an operation on the node takes.
 *
 * <p>Warm-up and measurement run the same loop, and both end early when they have taken as long as they may: an
 * operation that became ten thousand times slower yields fewer iterations, not a benchmark of a day.
 */
public final class Stopwatch {
    /** Longest time that {@link #measure} takes unless a single iteration hangs. */
    public static final long MAX_SECONDS = 22;
    /**
     * Operations on the node are so short that all of their warm-up is over before the compiler, in a thread of its
     * own, is done with them: what would be measured then is code that is replaced a moment later.
     */
    private static final long WARM_UP_LEAST_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long WARM_UP_LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(MAX_SECONDS) - WARM_UP_LIMIT_NS;

    private final long warmUpLeastNs;
    private final long warmUpLimitNs;
    private final long limitNs;
    private long[] timesNs = new long[0];
    private int done;

    /** With the limits that every benchmark has. */
    public Stopwatch() {
        this(WARM_UP_LEAST_NS, WARM_UP_LIMIT_NS, LIMIT_NS);
    }

    /** One that measures until so long has gone by, or all iterations are done; its warm-up ends then at the latest. */
    public static Stopwatch lasting(Duration time) {
        return new Stopwatch(0, time.toNanos(), time.toNanos());
    }

    Stopwatch(long warmUpLeastNs, long warmUpLimitNs, long limitNs) {
        this.warmUpLeastNs = warmUpLeastNs;
        this.warmUpLimitNs = warmUpLimitNs;
        this.limitNs = limitNs;
    }

    /** Warms up, then measures. */
    public Sample measure(Repeatable operation, Effort effort) throws IOException {
        int capacity = Math.max(effort.warmUp(), effort.iterations());
        if (timesNs.length < capacity) {
            timesNs = new long[capacity];
        }
        long warmUpNs = repeat(operation, effort.warmUp(), warmUpLimitNs);
        long firstNs = done == 0 ? 0 : timesNs[0];
        while (effort.warmUp() > 0 && warmUpNs < warmUpLeastNs) {
            warmUpNs += repeat(operation, effort.warmUp(), warmUpLimitNs);
        }
        long totalNs = repeat(operation, effort.iterations(), limitNs);
        return Sample.of(timesNs, done, totalNs, firstNs);
    }

    private long repeat(Repeatable operation, int iterations, long withinNs) throws IOException {
        long[] times = timesNs;
        int count = 0;
        long start = System.nanoTime();
        long before = start;
        while (count < iterations && before - start < withinNs) {
            operation.once();
            long after = System.nanoTime();
            times[count++] = after - before;
            before = after;
        }
        operation.finish();
        done = count;
        return System.nanoTime() - start;
    }
}
