package org.tributary.wire.shm;

import java.util.function.LongSupplier;
import org.tributary.config.WaitPreset;

/**
 * Back-off: between two polls a thread gives its core away (sched_yield(2)), because the thread that it waits for may
 * need this core. A peer that answers and waits in turn gives the core back within microseconds. A thread that computes
 * keeps it for a slice of milliseconds; after that the core is not given away for a while, which doubles each time that
 * this happens again soon.
 *
 * <p>Thread-safe; what one thread finds holds for all that share the object.
 */
public final class Backoff {
    /** A thread that keeps the core longer than this computes: a polling thread blocks before that. */
    public static final long SLICE_NS = 500_000;
    static final long SHORTEST_REST_NS = 1_000_000;
    static final long LONGEST_REST_NS = 64_000_000;
    /** A slice lost later than so many rests after the one before is a new beginning. */
    private static final int RESTS_TO_FORGET = 4;

    private final LongSupplier clock;
    private final Runnable yield;
    private volatile long restNs;
    private volatile long restUntilNs;

    /** Gives the calling thread's core away, unless each thread is to have one of its own. */
    public static Backoff of(WaitPreset preset) {
        return new Backoff(System::nanoTime, preset == WaitPreset.SHARED ? Thread::yield : Thread::onSpinWait);
    }

    /** With a clock in nanoseconds, and a way to give the core away. */
    public Backoff(LongSupplier clock, Runnable yield) {
        this.clock = clock;
        this.yield = yield;
        restUntilNs = clock.getAsLong();
    }

    /**
     * Gives the core away, unless that has cost a slice a moment ago.
     *
     * @return for how many nanoseconds it was given away; 0 if it was not
     */
    public long yield() {
        long beforeNs = clock.getAsLong();
        if (beforeNs - restUntilNs < 0) {
            Thread.onSpinWait();
            return 0;
        }
        yield.run();
        long nowNs = clock.getAsLong();
        if (nowNs - beforeNs > SLICE_NS) {
            boolean isSoon = restNs > 0 && beforeNs - restUntilNs < RESTS_TO_FORGET * restNs;
            restNs = isSoon ? Math.min(2 * restNs, LONGEST_REST_NS) : SHORTEST_REST_NS;
            restUntilNs = nowNs + restNs;
        }
        return nowNs - beforeNs;
    }
}
