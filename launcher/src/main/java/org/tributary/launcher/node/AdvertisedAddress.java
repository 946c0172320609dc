package org.tributary.launcher.node;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** The {@code host:port} under which others reach a server, also one that listens on every address of its machine. */
final class AdvertisedAddress {
    private AdvertisedAddress() {
    }

    static String of(InetSocketAddress bound) throws SocketException {
        InetAddress address = bound.getAddress();
        if (address.isAnyLocalAddress()) {
            address = ofThisMachine();
        }
        String host = address.getHostAddress();
        return (address instanceof Inet4Address ? host : "[" + host + "]") + ":" + bound.getPort();
    }

    /** The first IPv4 address of an interface that leads out of the machine; the loopback one if there is none. */
    private static InetAddress ofThisMachine() throws SocketException {
        return NetworkInterface.networkInterfaces()
            .filter(AdvertisedAddress::leadsOut)
            .flatMap(NetworkInterface::inetAddresses)
            .filter(address -> address instanceof Inet4Address && !address.isLinkLocalAddress())
            .findFirst()
            .orElse(InetAddress.getLoopbackAddress());
    }

    private static boolean leadsOut(NetworkInterface candidate) {
        try {
            return candidate.isUp() && !candidate.isLoopback() && !candidate.isPointToPoint();
        } catch (SocketException e) {
            return false;
        }
    }
}
