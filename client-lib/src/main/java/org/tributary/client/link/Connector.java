package org.tributary.client.link;

import org.tributary.client.connection.Transport;
import org.tributary.client.error.GasException;

/** Opens connections. That may take long, so it is done without the lock of {@link Links}. Thread-safe. */
interface Connector {
    /** A connection that has been admitted; {@code maxPayload} is the largest payload that the server takes. */
    record Admitted(Transport transport, int maxPayload) {
    }

    /**
     * Connects to the server of a node on a route. It may not be listening yet.
     *
     * @throws GasException when it does not admit the rank within {@code attach.timeout}, or never will
     */
    Admitted connectToServer(int node);

    /** Opens a direct connection to the server of a node; null when that cannot be done now: the route is good, too. */
    Admitted openDirect(int node);

    /** Attempts that would go on are given up. */
    void end();
}
