package org.tributary.server.connection;

import io.netty.channel.ChannelConfig;
import java.util.EnumSet;
import java.util.Set;

/**
 * Whether a listener accepts connections: as long as there is no reason not to. Owned by the loop of strangers.
 */
final class Door {
    enum Reason {
        /** Too many strangers come. */
        FLOODED,
        /** Nothing could be accepted. */
        FAILED
    }

    private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);
    private ChannelConfig listener;

    /** Set before anything comes to it. */
    void of(ChannelConfig config) {
        listener = config;
    }

    void shut(Reason why) {
        reasons.add(why);
        listener.setAutoRead(false);
    }

    /** Stays shut while there is another reason. */
    void open(Reason why) {
        reasons.remove(why);
        listener.setAutoRead(reasons.isEmpty());
    }
}
