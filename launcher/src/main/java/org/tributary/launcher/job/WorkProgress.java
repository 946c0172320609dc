package org.tributary.launcher.job;

import java.util.concurrent.TimeUnit;

/**
 * Says how far something is that takes long, and about how much longer it will take: on a terminal, after 3 s, by a
 * line that changes each second; elsewhere by a line every 10 s. No clock of its own. One thread.
 */
public final class WorkProgress {
    private static final long FIRST_SHOW_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long NEXT_SHOW_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LINE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    private final LineSink err;
    private final long startNs;
    private long dueNs;

    /** Of what begins at {@code startNs}, in nanoseconds of the caller's clock. */
    public WorkProgress(LineSink err, long startNs) {
        this.err = err;
        this.startNs = startNs;
        this.dueNs = startNs + (err.isTerminal() ? FIRST_SHOW_NS : LINE_NS);
    }

    /** It is that late, and so many parts are done of so many, which {@code words} say. */
    public void at(long nowNs, String words, long done, long total) {
        if (nowNs - dueNs < 0) {
            return;
        }
        String line = words + " after " + (nowNs - startNs) / NS_PER_S + " s" + left(nowNs, done, total);
        if (err.isTerminal()) {
            dueNs = nowNs + NEXT_SHOW_NS;
            err.show(line);
        } else {
            dueNs = nowNs + LINE_NS;
            err.say(line);
        }
    }

    /** {@code , about 5 s left}, if parts take as long as those that are done; nothing while none is. */
    String left(long nowNs, long done, long total) {
        return done == 0 ? "" : ", about " + (nowNs - startNs) / done * (total - done) / NS_PER_S + " s left";
    }

    /** There is nothing more to be said. */
    public void over() {
        err.hide();
    }
}
