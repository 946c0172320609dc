package org.tributary.launcher.job;

import org.tributary.wire.Deadline;

/** How long the last output of a job is waited for: as long as its reader needs, unless told otherwise. Thread-safe. */
public final class OutputWait {
    private volatile boolean isDropped;
    private volatile Deadline limit;

    /** Nobody waits from now on. */
    public void drop() {
        isDropped = true;
    }

    /** Nobody waits any more after so long. */
    public void limit(long ns) {
        limit = Deadline.in(ns);
    }

    public boolean isDropped() {
        return isDropped;
    }

    /** Whether nobody waits any more, for either reason. */
    public boolean isOver() {
        Deadline set = limit;
        return isDropped || set != null && set.isOver();
    }
}
