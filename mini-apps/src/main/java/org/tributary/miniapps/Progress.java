package org.tributary.miniapps;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Says how far something is that takes long, and how much longer: after 3 s, then every 10 s. One thread. It writes
 * lines, not one line that changes, for the standard error of a rank goes through its launcher.
 */
public final class Progress {
    private static final long FIRST_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long NEXT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final double PERCENT = 100;

    private final String what;
    private final long total;
    private final PrintStream err;
    private final LongSupplier nanoTime;
    private final long startNs;
    private long dueNs = FIRST_NS;
    private long done;

    /** {@code err} may be null: then nothing is said. */
    Progress(String what, long total, PrintStream err, LongSupplier nanoTime) {
        this.what = what;
        this.total = total;
        this.err = err;
        this.nanoTime = nanoTime;
        this.startNs = nanoTime.getAsLong();
    }

    /** The progress of {@code total} steps, which begin now; only where {@code printing} it is said. */
    public static Progress of(String what, long total, boolean printing) {
        return new Progress(what, total, printing ? System.err : null, System::nanoTime);
    }

    /** One more step is done. */
    public void step() {
        at(done + 1);
    }

    /** So many steps are done. */
    public void at(long steps) {
        done = steps;
        if (err == null) {
            return;
        }
        long elapsedNs = nanoTime.getAsLong() - startNs;
        if (elapsedNs < dueNs || done <= 0 || done >= total) {
            return;
        }
        double share = (double) done / total;
        err.println(String.format(Locale.ROOT, "%s: %.0f %% after %d s, about %d s left", what, PERCENT * share,
            TimeUnit.NANOSECONDS.toSeconds(elapsedNs),
            TimeUnit.NANOSECONDS.toSeconds((long) (elapsedNs / share - elapsedNs))));
        dueNs = elapsedNs + NEXT_NS;
    }
}
