package org.tributary.launcher.node;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.tributary.launcher.node.AdvertisedAddress.NetworkPort;
import org.tributary.launcher.node.AdvertisedAddress.Routes;

/**
 * Finds the address from which a machine reaches other hosts, whose names are known: the source address that the kernel
 * selects. The machine may be one of the hosts itself, and its own name may stand for all of its addresses, those of
 * bridges to its containers included (nss-myhostname).
 */
public final class SourceAddressSelection {
    private static final int ANY_PORT = 9;

    private final List<NetworkPort> ports;
    private final Routes routes;
    private final Function<List<String>, Stream<InetAddress>> resolver;

    /**
     * A machine.
     *
     * @param ports    its interfaces
     * @param routes   from which of its addresses it reaches others
     * @param resolver gives the addresses of names or addresses, in their order
     */
    SourceAddressSelection(List<NetworkPort> ports, Routes routes,
        Function<List<String>, Stream<InetAddress>> resolver) {
        this.ports = ports;
        this.routes = routes;
        this.resolver = resolver;
    }

    /**
     * That of this machine.
     *
     * @param peers     names or addresses, also of this machine itself
     * @param connected an address to which one of them has connected, which counts when the names tell nothing and it
     *                  is one of this machine's: srun passes on the variables of another's connection
     */
    public static Optional<InetAddress> address(List<String> peers, Optional<String> connected) {
        try {
            return new SourceAddressSelection(ThisMachine.ports(), ThisMachine::ownAddressTowards,
                new NameLookup()::addresses).find(peers, connected);
        } catch (SocketException e) {
            return Optional.empty(); // the server looks again, and says what is wrong
        }
    }

    Optional<InetAddress> find(List<String> peers, Optional<String> connected) {
        List<InetAddress> known = resolver.apply(peers).toList();
        Stream<InetAddress> towardsOthers = known.stream().filter(peer -> !isOwn(peer))
            .map(peer -> routes.ownAddressTowards(new InetSocketAddress(peer, ANY_PORT))).filter(Objects::nonNull);
        Stream<InetAddress> ofConnection = resolver.apply(connected.stream().toList()).filter(this::isOwn);
        Optional<InetAddress> found =
            Stream.concat(towardsOthers, ofConnection).filter(this::isOfUse).findFirst();
        if (found.isPresent()) {
            return found;
        }
        List<InetAddress> own = known.stream().filter(peer -> isOwn(peer) && isOfUse(peer)).distinct().toList();
        return own.size() == 1 ? Optional.of(own.getFirst()) : Optional.empty();
    }

    /** The way to such an address is that address, and tells nothing of the way to others. */
    private boolean isOwn(InetAddress address) {
        return ports.stream().anyMatch(port -> port.addresses().contains(address));
    }

    private boolean isOfUse(InetAddress address) {
        return !address.isLoopbackAddress() && !address.isAnyLocalAddress() && !address.isLinkLocalAddress()
            && !isWithinHost(address);
    }

    private boolean isWithinHost(InetAddress address) {
        return ports.stream().anyMatch(port -> port.isWithinHost() && port.addresses().contains(address));
    }
}
