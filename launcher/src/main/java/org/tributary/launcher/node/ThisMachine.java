package org.tributary.launcher.node;

import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/** The network of the machine that this process runs on. Stateless. */
public final class ThisMachine {
    private ThisMachine() {
    }

    static List<AdvertisedAddress.NetworkPort> ports() throws SocketException {
        return NetworkInterface.networkInterfaces().map(ThisMachine::describe).toList();
    }

    private static AdvertisedAddress.NetworkPort describe(NetworkInterface candidate) {
        try {
            return new AdvertisedAddress.NetworkPort(candidate.getName(), candidate.isUp(), candidate.isLoopback(),
                candidate.isPointToPoint(), candidate.inetAddresses().toList());
        } catch (SocketException e) {
            // It has gone meanwhile.
            return new AdvertisedAddress.NetworkPort(candidate.getName(), false, false, false, List.of());
        }
    }

    /** Asks the kernel by connecting a datagram socket, which sends nothing. */
    public static InetAddress ownAddressTowards(InetSocketAddress other) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(other);
            return socket.getLocalAddress();
        } catch (SocketException | UncheckedIOException e) {
            return null;
        }
    }
}
