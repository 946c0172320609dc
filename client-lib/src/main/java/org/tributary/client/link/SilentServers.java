package org.tributary.client.link;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tributary.client.connection.ServerLink;
import org.tributary.wire.socket.Silence;
import org.tributary.wire.socket.TcpInfo;

/**
 * Looks now and then, while a rank waits, whether the hosts at the other ends of its connections still answer. Guarded
 * by the lock of {@link Links}.
 */
final class SilentServers {
    private final TcpInfo info = new TcpInfo();
    private final long lookNs;
    private long nextLookNs;

    SilentServers(long timeoutNs, long nowNs) {
        this.lookNs = Silence.lookNs(timeoutNs);
        this.nextLookNs = nowNs;
    }

    /** How long a wait in the kernel may last before it is time to look again. */
    long waitMs(long mostMs) {
        return Math.min(mostMs, TimeUnit.NANOSECONDS.toMillis(lookNs));
    }

    /** Breaks the connection whose other end has been silent for the time-out, which throws. */
    void look(List<ServerLink> links, long nowNs) {
        if (nowNs - nextLookNs < 0) {
            return;
        }
        nextLookNs = nowNs + lookNs;
        for (int i = 0; i < links.size(); i++) {
            links.get(i).breakIfSilent(info, nowNs);
        }
    }
}
