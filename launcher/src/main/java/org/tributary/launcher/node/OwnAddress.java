package org.tributary.launcher.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.tributary.config.Settings;
import org.tributary.launcher.node.AdvertisedAddress.NetworkPort;
import org.tributary.server.connection.BindAddress;

/** The addresses of this machine, and which of them a server would tell others. Stateless. */
public final class OwnAddress {
    private OwnAddress() {
    }

    /** Addresses of all interfaces; none when the system cannot be asked. */
    public static List<String> all() {
        try {
            return ThisMachine.ports().stream().flatMap(port -> port.addresses().stream())
                .map(InetAddress::getHostAddress).toList();
        } catch (SocketException e) {
            return List.of();
        }
    }

    /**
     * The address that a server of a job script advertises before it knows of others, its interface, and the reason.
     *
     * @throws IOException when there is none that others could use, or no such interface as is set
     */
    public static String advertised(Settings settings) throws IOException {
        List<String> warnings = new ArrayList<>();
        InetAddress bound = new NameLookup().address(BindAddress.of(settings));
        List<NetworkPort> ports = ThisMachine.ports();
        String address = choose(bound, List.of(), ports, warnings);
        String reason = settings.serverInterface().isPresent() ? "by server.interface"
            : !bound.isAnyLocalAddress() ? "by server.bind-address"
            : !warnings.isEmpty() ? warnings.getFirst()
            : "where routes to other networks and the order of interfaces lead";
        return address + interfaceOf(address, ports) + ", " + reason;
    }

    /**
     * That address alone.
     *
     * @throws IOException when there is none that others could use
     */
    public static String of(Settings settings) throws IOException {
        return of(settings, List.of());
    }

    /**
     * The address that a server advertises which knows where these others listen.
     *
     * @throws IOException when there is none that others could use
     */
    static String of(Settings settings, List<InetSocketAddress> others) throws IOException {
        InetAddress bound = new NameLookup().address(BindAddress.of(settings));
        return choose(bound, others, ThisMachine.ports(), new ArrayList<>());
    }

    private static String choose(InetAddress bound, List<InetSocketAddress> others, List<NetworkPort> ports,
        List<String> warnings) throws IOException {
        return new AdvertisedAddress(ports, ThisMachine::ownAddressTowards, warnings::add)
            .of(new InetSocketAddress(bound, 0), others, false).replaceAll(":0$", "");
    }

    private static String interfaceOf(String address, List<NetworkPort> ports) {
        String plain = address.replaceAll("[\\[\\]]", "");
        return ports.stream().filter(port -> port.addresses().stream()
            .anyMatch(own -> own.getHostAddress().equals(plain))).findFirst().map(port -> " of " + port.name())
            .orElse("");
    }
}
