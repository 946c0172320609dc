package org.tributary.client.testing;

import java.io.IOException;
import java.net.InetSocketAddress;

/** What lies between ranks and the servers of other nodes in a test. */
interface Network extends AutoCloseable {
    /** An address that leads to a server. */
    InetSocketAddress to(InetSocketAddress server) throws IOException;

    @Override
    void close();
}
