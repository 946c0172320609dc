package org.tributary.client.connection;

import java.net.InetAddress;

/**
 * Addresses of a connection over the network.
 *
 * @param here  of this end
 * @param there of the server's
 */
public record LinkEnds(InetAddress here, InetAddress there) {
}
