package org.tributary.client.link;

import java.io.IOException;
import java.util.function.Consumer;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.connection.Transport;

/** Tells on which connections something has come, without a look at the others. One thread at a time selects. */
interface Readiness extends AutoCloseable {
    /** From now on this connection is told. */
    void watch(ServerLink link, Transport transport) throws IOException;

    /**
     * Names the connections on which something has come or that have ended; none when the time is over or somebody
     * {@linkplain #wakeUp wakes}.
     *
     * @param timeoutMs how long to sleep until there is one; 0 to look only
     */
    void select(long timeoutMs, Consumer<ServerLink> ready) throws IOException;

    /** Ends a {@link #select} that sleeps, or the next one. Any thread. */
    void wakeUp();

    @Override
    void close() throws IOException;
}
