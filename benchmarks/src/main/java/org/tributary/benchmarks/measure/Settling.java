package org.tributary.benchmarks.measure;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Tells when things that are warmed up in turns do not become faster any more. The warm-up is looked at in windows: it
 * is enough when the fastest time of each thing was hardly shorter than in the window before. Fastest times, as a
 * machine that does other things too makes times longer now and then, but never shorter.
 */
public final class Settling {
    /** So many times as long as it shall take at least, a warm-up takes at most. */
    public static final int MOST = 5;
    private static final int WINDOWS = 4;
    /** Less of the time before is progress. */
    private static final double HARDLY_SHORTER = 0.9;

    private final long leastNs;
    private double[] before;
    private double[] now;
    private long windowEndsNs;

    /** Of so many things. */
    public Settling(int things, long leastNs) {
        this.leastNs = leastNs;
        before = new double[things];
        now = new double[things];
        Arrays.fill(before, Double.POSITIVE_INFINITY);
        Arrays.fill(now, Double.POSITIVE_INFINITY);
        windowEndsNs = leastNs / WINDOWS;
    }

    /** Something that can be done again, and tells how long it took. */
    public interface Timed {
        /** In nanoseconds. */
        double once() throws IOException;
    }

    /** Warms one thing up, by so many repetitions at most; {@code clock} tells nanoseconds. */
    public static void settle(Timed timed, Duration least, int most, LongSupplier clock) throws IOException {
        Settling settling = new Settling(1, least.toNanos());
        long begun = clock.getAsLong();
        int done = 0;
        do {
            settling.add(0, timed.once());
            done++;
        } while (done < most && !settling.isEnough(clock.getAsLong() - begun));
    }

    /** Another time of one of them. */
    public void add(int thing, double ns) {
        now[thing] = Math.min(now[thing], ns);
    }

    /** Called after each turn of all, with the time since the beginning. */
    public boolean isEnough(long elapsedNs) {
        if (elapsedNs >= MOST * leastNs) {
            return true;
        }
        if (elapsedNs < windowEndsNs) {
            return false;
        }
        boolean isSettled = true;
        for (int i = 0; i < now.length; i++) {
            isSettled &= now[i] >= HARDLY_SHORTER * before[i];
        }
        double[] free = before;
        before = now;
        now = free;
        Arrays.fill(now, Double.POSITIVE_INFINITY);
        windowEndsNs = elapsedNs + leastNs / WINDOWS;
        return isSettled && elapsedNs >= leastNs;
    }
}
