package org.tributary.launcher.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tributary.launcher.node.AdvertisedAddress.NetworkPort;

/** Over described machines, and once over this one. */
class AdvertisedAddressTest {
    private static final InetSocketAddress ALL = new InetSocketAddress("0.0.0.0", 80);
    private static final String WORLD = "192.0.2.1";
    private static final String WORLD_6 = "2001:db8:0:0:0:0:0:1";

    private final List<NetworkPort> ports = new ArrayList<>();
    private final Map<String, String> routes = new HashMap<>();
    private final List<String> warnings = new ArrayList<>();

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private void port(String name, String... addresses) {
        ports.add(new NetworkPort(name, true, name.equals("lo"), name.startsWith("tun"),
            List.of(addresses).stream().map(AdvertisedAddressTest::address).toList()));
    }

    private String chosen(boolean alone, String... others) throws IOException {
        AdvertisedAddress machine = new AdvertisedAddress(ports, other -> {
            String own = routes.get(other.getAddress().getHostAddress());
            return own == null ? null : address(own);
        }, warnings::add);
        return machine.of(ALL, List.of(others).stream().map(other -> new InetSocketAddress(other, 1)).toList(), alone);
    }

    private String chosen(String... others) throws IOException {
        return chosen(false, others);
    }

    @Test
    void shouldBeWhereItListensWhenThatIsOneAddress() throws IOException {
        AdvertisedAddress machine = new AdvertisedAddress(List.of(), other -> null, warnings::add);
        assertEquals("[0:0:0:0:0:0:0:1]:80", machine.of(new InetSocketAddress("::1", 80), List.of(), false));
        assertEquals("127.0.0.1:80", machine.of(new InetSocketAddress("127.0.0.1", 80), List.of(), false));
    }

    @Test
    void shouldTakeTheWayToAnotherServerWhenOneIsKnown() throws IOException {
        port("eth0", "192.168.1.5");
        port("ib0", "10.5.0.5");
        routes.put(WORLD, "192.168.1.5");
        routes.put("10.5.0.9", "10.5.0.5");
        assertEquals("10.5.0.5:80", chosen("10.4.0.1", "10.5.0.9"));
        assertEquals("192.168.1.5:80", chosen("no-such-host.invalid"));
    }

    /** Each machine with containers has 172.17.0.1, which a name may stand for too. */
    @Test
    void shouldSkipTheWayToContainersWhenAnotherServerIsReachedOtherwise() throws IOException {
        port("lo", "127.0.0.1");
        port("docker0", "172.17.0.1");
        port("eth0", "192.168.1.5");
        routes.put("172.17.0.1", "172.17.0.1");
        routes.put("192.168.1.6", "192.168.1.5");
        assertEquals("192.168.1.5:80", chosen("172.17.0.1", "192.168.1.6"));
        assertEquals("172.17.0.1:80", chosen("172.17.0.1"));
        routes.put("127.0.0.1", "127.0.0.1");
        assertEquals("127.0.0.1:80", chosen("127.0.0.1", "192.168.1.6"));
    }

    @Test
    void shouldTakeTheDefaultRouteWhenNobodyIsKnown() throws IOException {
        port("docker0", "172.17.0.1");
        port("eth1", "10.9.0.1");
        port("eth0", "192.168.1.5");
        routes.put(WORLD, "192.168.1.5");
        assertEquals("192.168.1.5:80", chosen());
    }

    @Test
    void shouldSkipWhatStaysWithinTheHostWhenThereIsNoRoute() throws IOException {
        port("lo", "127.0.0.1");
        port("docker0", "172.17.0.1");
        port("br-2f31", "172.18.0.1");
        port("veth12", "169.254.7.7");
        port("tun0", "10.8.0.2");
        ports.add(new NetworkPort("eth0", false, false, false, List.of(address("192.168.7.7"))));
        port("eth1", "169.254.3.3", "fe80::1", "192.168.1.5");
        assertEquals("192.168.1.5:80", chosen());
    }

    @Test
    void shouldPreferAnInterfaceToATunnelWhenTheDefaultRouteGoesThroughIt() throws IOException {
        port("tun0", "10.8.0.2");
        routes.put(WORLD, "10.8.0.2");
        assertEquals("10.8.0.2:80", chosen());
        port("eth0", "192.168.1.5");
        assertEquals("192.168.1.5:80", chosen());
    }

    @Test
    void shouldTakeIpv6WhenThereIsNothingElse() throws IOException {
        port("lo", "127.0.0.1", "::1");
        port("eth0", "fe80::1", "fd00::2");
        assertEquals("[fd00:0:0:0:0:0:0:2]:80", chosen());
        port("eth1", "2001:db8:7::3");
        routes.put(WORLD_6, "2001:db8:7::3");
        assertEquals("[2001:db8:7:0:0:0:0:3]:80", chosen());
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldWarnWhenThereIsOnlyALinkLocalAddress() throws IOException {
        port("eth0", "169.254.3.3");
        assertEquals("169.254.3.3:80", chosen());
        assertEquals(1, warnings.size());
        assertTrue(warnings.get(0).contains("server.bind-address"), warnings::toString);
    }

    @Test
    void shouldSayWhatThereIsWhenNothingLeadsOut() throws IOException {
        port("lo", "127.0.0.1");
        port("docker0", "172.17.0.1");
        String message = assertThrows(IOException.class, this::chosen).getMessage();
        assertTrue(message.contains("docker0 [172.17.0.1]") && message.contains("server.bind-address"), message);
        assertEquals(address("localhost").getHostAddress() + ":80", chosen(true));
    }

    @Test
    void shouldDescribeThisMachineWhenAsked() throws IOException {
        assertTrue(ThisMachine.ports().stream().anyMatch(NetworkPort::isLoopback), ThisMachine.ports()::toString);
        assertEquals(address("127.0.0.1"), ThisMachine.ownAddressTowards(new InetSocketAddress("127.0.0.1", 9)));
        String own = new AdvertisedAddress(ThisMachine.ports(), ThisMachine::ownAddressTowards, warnings::add)
            .of(ALL, List.of(), true);
        assertFalse(own.startsWith("0.0.0.0"), own);
    }
}
