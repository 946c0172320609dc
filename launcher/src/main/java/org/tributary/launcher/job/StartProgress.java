package org.tributary.launcher.job;

import org.tributary.wire.LongWait;

/**
 * Says how far the start of a job is: on a terminal, after 3 s, by a line that changes each second; everywhere, by a
 * line that names what is awaited, on a terminal after 10 s and each time the wait has doubled, elsewhere every 10 s.
 * One thread.
 */
final class StartProgress {
    private final ReadyHosts hosts;
    private final ReadyServers servers;
    private final LineSink err;
    private final String limit;
    private final long noticeNs;
    private final LongWait wait;
    private final WorkProgress progress;
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
        this.limit = limit;
        this.noticeNs = noticeNs;
        this.wait = new LongWait(startNs, noticeNs);
        this.progress = new WorkProgress(err, startNs);
        this.dueNs = startNs + noticeNs;
    }

    /** It is that late, and the job is still starting. */
    void at(long nowNs) {
        int done = hosts.answered() + servers.answered();
        int total = hosts.count() + servers.count();
        if (takeNotice(nowNs)) {
            err.say("still waiting for the " + awaited() + " (" + wait.seconds(nowNs) + " s of " + limit
                + progress.left(nowNs, done, total) + ")");
        }
        if (err.isTerminal()) {
            progress.at(nowNs, "starting: " + (hosts.allAnswered()
                ? servers.answered() + " of " + servers.count() + " servers ready"
                : hosts.answered() + " of " + hosts.count() + " hosts have answered"), done, total);
        }
    }

    private boolean takeNotice(long nowNs) {
        if (err.isTerminal()) {
            return wait.takeNotice(nowNs);
        }
        boolean isDue = nowNs - dueNs >= 0;
        dueNs = isDue ? nowNs + noticeNs : dueNs;
        return isDue;
    }

    /** The job is starting no more. */
    void over() {
        progress.over();
    }

    /** Names hosts or nodes: {@code servers of nodes 1, 3}. */
    String awaited() {
        return hosts.allAnswered() ? servers.awaited() : hosts.awaited();
    }
}
