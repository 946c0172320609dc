package org.tributary.benchmarks.measure;

/**
 * How often something is repeated.
 *
 * @param warmUp     iterations before the timed ones
 * @param iterations timed ones
 */
public record Effort(int warmUp, int iterations) {
    /** C2 compiles a method after about 10,000 calls, and what it calls after as many; this leaves time for both. */
    private static final int WARM_UP_OPERATIONS = 20_000;
    /** Up to here an operation's time is mostly latency, and the field's benchmarks take their full count. */
    private static final long SMALL_BYTES = 8 << 10;
    private static final long HUGE_BYTES = 1 << 20;
    private static final int MEDIUM_DIVISOR = 10;
    private static final int HUGE_DIVISOR = 50;
    private static final int MEDIUM_WINDOW_DIVISOR = 100;
    private static final int HUGE_WINDOW_DIVISOR = 1_000;

    /** For an operation of that size; {@code full} is the count of iterations up to 8 KiB. */
    public static Effort ofSingle(long bytes, int full) {
        return of(1, bytes <= SMALL_BYTES ? full : full / (bytes < HUGE_BYTES ? MEDIUM_DIVISOR : HUGE_DIVISOR));
    }

    /** For a window of many operations of that size: as many windows as small operations, fewer of large ones. */
    public static Effort ofWindow(int window, long bytes, int full) {
        return of(window, bytes <= SMALL_BYTES ? full
            : full / (bytes < HUGE_BYTES ? MEDIUM_WINDOW_DIVISOR : HUGE_WINDOW_DIVISOR));
    }

    /** Large operations take as many to warm up, as long as that takes no longer than {@link Stopwatch} allows. */
    private static Effort of(int perIteration, int iterations) {
        int timed = Math.max(iterations, 1);
        return new Effort(Math.max(timed / 5, WARM_UP_OPERATIONS / perIteration), timed);
    }
}
