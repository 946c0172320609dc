package org.tributary.wire;

import java.util.function.LongSupplier;

/**
 * When to give up waiting. Time counts only while the caller looks now and then: a process that was stopped, or that a
 * busy machine did not let run, has its time left when it goes on, and finds what has come for it meanwhile.
 * Thread-safe: a look of any thread is one.
 */
public final class Deadline {
    /** How long to sleep at most between two looks. */
    public static final long LOOK_NS = 100_000_000L;
    /** Most that counts of the time between two looks. */
    private static final long COUNTED_NS = 500_000_000L;

    private final LongSupplier clockNs;
    private final Deadline whole;
    private long leftNs;
    private long lookedNs;

    /** Begins now, by a clock that gives nanoseconds. */
    public Deadline(long timeoutNs, LongSupplier clockNs) {
        this(timeoutNs, clockNs, null);
    }

    private Deadline(long timeoutNs, LongSupplier clockNs, Deadline whole) {
        this.clockNs = clockNs;
        this.whole = whole;
        this.leftNs = timeoutNs;
        this.lookedNs = clockNs.getAsLong();
    }

    /** Begins now. */
    public static Deadline in(long timeoutNs) {
        return new Deadline(timeoutNs, System::nanoTime);
    }

    /** One that ends with this one at the latest; looking at it is looking at both. */
    public Deadline part(long timeoutNs) {
        return new Deadline(timeoutNs, clockNs, this);
    }

    /** Time that is left, in nanoseconds; negative or 0 when it is over. */
    public long leftNs() {
        return leftAfter(0);
    }

    /**
     * Looks, after the caller has spent {@code ns} since the last look in a call that cannot, such as one of a name
     * service: all of that counts.
     */
    public void passed(long ns) {
        leftAfter(ns);
    }

    private synchronized long leftAfter(long spentNs) {
        long nowNs = clockNs.getAsLong();
        leftNs -= spentNs + Math.clamp(nowNs - lookedNs - spentNs, 0, COUNTED_NS);
        lookedNs = nowNs;
        return whole == null ? leftNs : Math.min(leftNs, whole.leftAfter(spentNs));
    }

    public boolean isOver() {
        return leftNs() <= 0;
    }
}
