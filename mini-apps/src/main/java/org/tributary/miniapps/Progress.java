package org.tributary.miniapps;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.tributary.config.JobVariables;

/**
 * Says how far something is that takes long, and how much longer: after 3 s, then every 10 s, or each second by a line
 * that passes where the launcher shows such lines ({@link JobVariables#PROGRESS}). One thread.
 */
public final class Progress {
    private static final long FIRST_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long NEXT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long NEXT_PASSING_NS = TimeUnit.SECONDS.toNanos(1);
    private static final double PERCENT = 100;

    private final String what;
    private final long total;
    private final PrintStream err;
    private final boolean passing;
    private final LongSupplier nanoTime;
    private final long startNs;
    private long dueNs = FIRST_NS;
    private long done;

    /** {@code err} may be null: then nothing is said. {@code passing} is whether lines are shown one by one. */
    Progress(String what, long total, PrintStream err, boolean passing, LongSupplier nanoTime) {
        this.what = what;
        this.total = total;
        this.err = err;
        this.passing = passing;
        this.nanoTime = nanoTime;
        this.startNs = nanoTime.getAsLong();
    }

    /** The progress of {@code total} steps, which begin now; only where {@code printing} it is said. */
    public static Progress of(String what, long total, boolean printing) {
        return new Progress(what, total, printing ? System.err : null,
            JobVariables.PASSING.equals(System.getenv(JobVariables.PROGRESS)), System::nanoTime);
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
        err.println(String.format(Locale.ROOT, "%s%s: %.0f %% after %d s, about %d s left", passing ? "\r" : "", what,
            PERCENT * share, TimeUnit.NANOSECONDS.toSeconds(elapsedNs),
            TimeUnit.NANOSECONDS.toSeconds((long) (elapsedNs / share - elapsedNs))));
        dueNs = elapsedNs + (passing ? NEXT_PASSING_NS : NEXT_NS);
    }
}
