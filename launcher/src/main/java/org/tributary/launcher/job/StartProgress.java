package org.tributary.launcher.job;

import java.util.concurrent.TimeUnit;
import org.tributary.wire.LongWait;

/**
 * Says how far the start of a job is: on a terminal, after 3 s, by a line that changes each second; everywhere, by a
 * line that names what is awaited, after 10 s and each time the wait has doubled. One thread.
 */
final class StartProgress {
    private static final long FIRST_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long NEXT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    private final ReadyHosts hosts;
    private final ReadyServers servers;
    private final LineSink err;
    private final long startNs;
    private final String limit;
    private final LongWait wait;
    private long dueNs;

    /**
     * A start that begins at {@code startNs}.
     *
     * @param noticeNs how long until what is awaited is named
     * @param limit    how long it may take, as text
     */
    StartProgress(ReadyHosts hosts, ReadyServers servers, LineSink err, long startNs, long noticeNs, String limit) {
        this.hosts = hosts;
        this.servers = servers;
        this.err = err;
        this.startNs = startNs;
        this.limit = limit;
        this.wait = new LongWait(startNs, noticeNs);
        this.dueNs = startNs + FIRST_NS;
    }

    /** It is that late, and the job is still starting. */
    void at(long nowNs) {
        if (wait.isNoticeDue(nowNs)) {
            err.say("still waiting for the " + awaited() + " (" + wait.seconds(nowNs) + " s of " + limit + ")");
        }
        if (err.isTerminal() && nowNs - dueNs >= 0) {
            dueNs = nowNs + NEXT_NS;
            err.show(line(nowNs - startNs));
        }
    }

    /** The job is starting no more. */
    void over() {
        err.hide();
    }

    /** Names hosts or nodes: {@code servers of nodes 1, 3}. */
    String awaited() {
        return hosts.allAnswered() ? servers.awaited() : hosts.awaited();
    }

    private String line(long elapsedNs) {
        int done = hosts.answered() + servers.answered();
        int total = hosts.count() + servers.count();
        String left = done == 0 ? "" : ", about " + (elapsedNs / done * (total - done)) / NS_PER_S + " s left";
        return "starting: " + (hosts.allAnswered() ? servers.answered() + " of " + servers.count() + " servers ready"
            : hosts.answered() + " of " + hosts.count() + " hosts have answered")
            + " after " + elapsedNs / NS_PER_S + " s" + left;
    }
}
