package org.tributary.wire;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;

/** Addresses of servers as they are written: {@code host:port}, IPv6 addresses in brackets. */
public final class ServerAddress {
    private ServerAddress() {
    }

    /** Resolves an address as configured. */
    public static InetSocketAddress parse(String text) {
        InetSocketAddress name = unresolved(text);
        return new InetSocketAddress(name.getHostString(), name.getPort());
    }

    /** An address as configured, for whom a name is to be looked up later. */
    public static InetSocketAddress unresolved(String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, colon);
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return InetSocketAddress.createUnresolved(bare, Integer.parseInt(text.substring(colon + 1)));
    }

    /**
     * Every address that one stands for as configured, in the order in which they are to be tried.
     *
     * @throws UnknownHostException when its name cannot be resolved
     */
    public static List<InetSocketAddress> all(String text) throws UnknownHostException {
        InetSocketAddress first = unresolved(text);
        return Stream.of(InetAddress.getAllByName(first.getHostString()))
            .map(address -> new InetSocketAddress(address, first.getPort())).toList();
    }

    /** Writes an address so that {@link #parse} reads it. */
    public static String format(InetSocketAddress address) {
        String host = address.getAddress() == null ? address.getHostString() : address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
