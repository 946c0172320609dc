package org.tributary.client.link;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tributary.client.connection.ServerLink;

/**
 * The checks of a waiting rank, now and then: the hosts at the other ends of its connections, its own server, which may
 * not have noticed its requests, and the files that it has mapped. Guarded by the lock of {@link Links}.
 */
final class HealthCheck implements WaitLoop.PeriodicCheck {
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

    private final SilentServers silent;
    private final List<ServerLink> all;
    private final JobFailure failure;
    private long nextLookNs;

    /** Of the connections of {@code all}, of which the first is that to the own server. */
    HealthCheck(SilentServers silent, List<ServerLink> all, JobFailure failure, long nowNs) {
        this.silent = silent;
        this.all = all;
        this.failure = failure;
        this.nextLookNs = nowNs + LOOK_NS;
    }

    @Override
    public void look(long nowNs) {
        silent.look(all, nowNs);
        if (nowNs - nextLookNs >= 0 && !all.isEmpty()) {
            nextLookNs = nowNs + LOOK_NS;
            all.getFirst().remind();
            failure.checkMemory();
        }
    }
}
