package org.tributary.launcher.node;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The {@code host:port} under which others reach a server, also one that listens on every address of its machine: the
 * address by which the machine reaches the others or, when these are not known yet, the rest of the world; otherwise
 * that of an interface that leads out of it.
 */
final class AdvertisedAddress {
    /** Names of interfaces that containers and virtual machines of this host are attached to. */
    private static final List<String> WITHIN_HOST = List.of("docker", "br-", "virbr", "veth", "cni", "flannel", "cali",
        "lxcbr", "lxdbr", "podman", "vmnet", "vboxnet");
    /** Addresses that belong to nobody (RFC 5737, RFC 3849): the way to them is the default route. */
    private static final List<String> ANYWHERE = List.of("192.0.2.1", "2001:db8::1");
    private static final int ANY_PORT = 9;

    private final List<NetworkPort> ports;
    private final Routes routes;
    private final Consumer<String> warning;

    /**
     * A machine.
     *
     * @param ports   its interfaces
     * @param routes  from which of its addresses it reaches others
     * @param warning takes what an operator should know
     */
    AdvertisedAddress(List<NetworkPort> ports, Routes routes, Consumer<String> warning) {
        this.ports = ports;
        this.routes = routes;
        this.warning = warning;
    }

    /** An interface of a machine. */
    record NetworkPort(String name, boolean isUp, boolean isLoopback, boolean isPointToPoint,
        List<InetAddress> addresses) {
        private boolean leadsOut() {
            return isUp && !isPointToPoint && !isWithinHost();
        }

        /** Whether nobody but this machine, its containers and its virtual machines is behind it. */
        boolean isWithinHost() {
            return isLoopback || WITHIN_HOST.stream().anyMatch(name::startsWith);
        }

        @Override
        public String toString() {
            return name + (isUp ? "" : " (down)") + " " + addresses.stream().map(InetAddress::getHostAddress).toList();
        }
    }

    /** From which address a machine reaches another. */
    interface Routes {
        /** The own address, or null when there is no way. */
        InetAddress ownAddressTowards(InetSocketAddress other);
    }

    /**
     * The address of a server.
     *
     * @param bound  where it listens
     * @param others where other servers of the job listen, as far as that is known
     * @param alone  whether the job has no other node
     * @throws IOException when there is no address that others could use
     */
    String of(InetSocketAddress bound, List<InetSocketAddress> others, boolean alone) throws IOException {
        InetAddress address = bound.getAddress().isAnyLocalAddress() ? choose(others, alone) : bound.getAddress();
        String host = address.getHostAddress();
        return (address instanceof Inet4Address ? host : "[" + host + "]") + ":" + bound.getPort();
    }

    private InetAddress choose(List<InetSocketAddress> others, boolean alone) throws IOException {
        InetAddress ofContainers = null;
        for (InetSocketAddress other : others) {
            InetAddress own = other.isUnresolved() ? null : routes.ownAddressTowards(other);
            if (own != null && !own.isAnyLocalAddress()) {
                if (!isOfContainers(own)) {
                    return own;
                }
                ofContainers = own;
            }
        }
        if (ofContainers != null) {
            return ofContainers; // no other reaches anybody
        }
        InetAddress toTheWorld = null;
        for (String anywhere : ANYWHERE) {
            InetAddress own = routes.ownAddressTowards(new InetSocketAddress(anywhere, ANY_PORT));
            if (own != null && isOrdinary(own)) {
                if (ports.stream().anyMatch(port -> port.leadsOut() && port.addresses().contains(own))) {
                    return own;
                }
                toTheWorld = toTheWorld == null ? own : toTheWorld;
            }
        }
        InetAddress found = first(address -> address instanceof Inet4Address && isOrdinary(address));
        found = found != null ? found : first(AdvertisedAddress::isOrdinary);
        found = found != null ? found : toTheWorld;
        return found != null ? found : lastResort(alone);
    }

    private boolean isOfContainers(InetAddress own) {
        return ports.stream().anyMatch(port -> port.isWithinHost() && !port.isLoopback()
            && port.addresses().contains(own));
    }

    private InetAddress lastResort(boolean alone) throws IOException {
        if (alone) {
            return InetAddress.getLoopbackAddress();
        }
        InetAddress linkLocal = first(InetAddress::isLinkLocalAddress);
        if (linkLocal == null) {
            throw new IOException("no address of this machine leads to other nodes, it has "
                + ports.stream().map(NetworkPort::toString).collect(Collectors.joining(", "))
                + "; set server.bind-address to one that does");
        }
        warning.accept("advertises " + linkLocal.getHostAddress() + ", which holds on one link only, for want of"
            + " another; set server.bind-address to one that other nodes reach");
        return linkLocal;
    }

    private static boolean isOrdinary(InetAddress address) {
        return !address.isLinkLocalAddress() && !address.isLoopbackAddress() && !address.isAnyLocalAddress()
            && !address.isMulticastAddress();
    }

    private InetAddress first(Predicate<InetAddress> suitable) {
        return ports.stream().filter(NetworkPort::leadsOut).flatMap(port -> port.addresses().stream())
            .filter(suitable).findFirst().orElse(null);
    }
}
