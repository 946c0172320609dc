package org.tributary.launcher.job;

import java.util.concurrent.TimeUnit;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeStatus.Rank;

/**
 * Finds out by looks at a job, one after the other, that it makes no progress, and tells so once until it does. That
 * the longest wait of each rank is old does not say it: other threads of a rank may go on, which shows in processor
 * time, and in the waits that they begin. Owned by the thread that looks.
 */
final class Standstill {
    /** Of a core; a rank that uses more makes progress. */
    private static final double MOST_CORES = 0.1;
    private static final double NS_PER_TICK = 1e7;
    /** A rank in Java takes less processor time to tell its stacks, a few times, which is no progress. */
    private static final long STACK_NS = TimeUnit.SECONDS.toNanos(1);
    /** Waits that a thread begins within another one do not count; one in so long is let pass besides. */
    private static final long DOUBT_NS = TimeUnit.SECONDS.toNanos(8);

    private final long stillNs;
    private long progressNs;
    /** As it was then; null before the first look. */
    private JobStatus atProgress;
    private boolean isTold;

    /**
     * A job that begins.
     *
     * @param stillNs for how long it may make no progress
     */
    Standstill(long stillNs, long nowNs) {
        this.stillNs = stillNs;
        this.progressNs = nowNs;
    }

    /** Whether the job has made no progress for long, which has not been told. */
    boolean isNew(JobStatus job, long nowNs) {
        boolean goesOn = atProgress != null && goesOn(atProgress, job, nowNs - progressNs, STACK_NS);
        boolean isStill = job.standsStillNs() >= stillNs;
        if (goesOn || atProgress == null) {
            atProgress = job;
            progressNs = goesOn ? nowNs : progressNs;
        }
        isTold &= isStill && !goesOn;
        return isStill && !isTold && nowNs - progressNs >= stillNs;
    }

    /** Whether it still makes none a while after that look. */
    boolean lasts(JobStatus before, JobStatus after, long spanNs) {
        return after.standsStillNs() >= stillNs && !goesOn(before, after, spanNs, 0);
    }

    /** It has been told. */
    void told() {
        isTold = true;
    }

    /** Ranks that have come in the meantime are progress, too. */
    private static boolean goesOn(JobStatus before, JobStatus after, long spanNs, long otherNs) {
        return after.ranks().stream().anyMatch(rank -> {
            Rank earlier = before.rank(rank.rank());
            return earlier == null || goesOn(earlier, rank, spanNs, otherNs);
        });
    }

    /** It may have used so much processor time for others who look at it. */
    private static boolean goesOn(Rank before, Rank after, long spanNs, long otherNs) {
        boolean computes = before.cpuTicks() >= 0
            && (after.cpuTicks() - before.cpuTicks()) * NS_PER_TICK >= MOST_CORES * spanNs + otherNs;
        long doubts = after.waits().size() * (2 + spanNs / DOUBT_NS);
        return computes || after.blocked() - before.blocked() > doubts;
    }
}
