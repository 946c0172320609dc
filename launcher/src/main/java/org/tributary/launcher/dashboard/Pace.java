package org.tributary.launcher.dashboard;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.tributary.config.ProcessFiles;

/**
 * When the next step is due: each second, and less often when steps cost so much that they would use more than a
 * hundredth of a core. The first ones do not count, for which classes are loaded. Owned by the thread that takes steps.
 */
final class Pace {
    /** Shortest time from the beginning of a step to that of the next. */
    static final long STEP_NS = TimeUnit.SECONDS.toNanos(1);
    /** Steps may use one part in so many of a core. */
    static final int MOST_PART = 100;
    /** Steps that cost more than the same ones later. */
    static final int FIRST_STEPS = 8;
    /** The mean of so many steps counts: one that fell together with a garbage collection delays little. */
    static final int WINDOW = 8;
    private static final Path OWN_TIME = Path.of("/proc/thread-self/schedstat");

    private final Deque<Long> costs = new ArrayDeque<>();
    private int steps;

    /** Time from the beginning of a step that has used so much time of processors to that of the next. */
    long pauseNs(long costNs) {
        if (++steps <= FIRST_STEPS) {
            return STEP_NS;
        }
        costs.addLast(costNs);
        if (costs.size() > WINDOW) {
            costs.removeFirst();
        }
        long sum = 0;
        for (long cost : costs) {
            sum += cost;
        }
        return Math.max(STEP_NS, sum / costs.size() * MOST_PART);
    }

    /** Time that this thread has been on a processor; that of a clock where the kernel does not say. */
    static long threadNs() {
        try {
            return ProcessFiles.processorNs(OWN_TIME);
        } catch (IOException | RuntimeException e) {
            return System.nanoTime();
        }
    }
}
