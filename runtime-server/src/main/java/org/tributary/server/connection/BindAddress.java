package org.tributary.server.connection;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.tributary.config.Settings;

/** On which address a server listens: the one that is set, or that of the interface that is set. Stateless. */
public final class BindAddress {
    private BindAddress() {
    }

    /**
     * The address.
     *
     * @throws IOException when there is no such interface, or it has no address, with those that there are
     */
    public static String of(Settings settings) throws IOException {
        return settings.serverInterface().isEmpty() ? settings.serverBindAddress()
            : ofInterface(settings.serverInterface().get());
    }

    private static String ofInterface(String name) throws IOException {
        NetworkInterface found = NetworkInterface.getByName(name);
        if (found == null) {
            throw new IOException("server.interface = " + name + ": this machine has no such interface, it has "
                + NetworkInterface.networkInterfaces().map(NetworkInterface::getName).sorted()
                    .collect(Collectors.joining(", ")));
        }
        List<InetAddress> addresses = found.inetAddresses().sorted(Comparator
            .comparing(InetAddress::isLinkLocalAddress).thenComparing(address -> !(address instanceof Inet4Address)))
            .toList();
        if (addresses.isEmpty()) {
            throw new IOException("server.interface = " + name + ": this interface has no address");
        }
        return addresses.getFirst().getHostAddress();
    }
}
