package org.tributary.launcher.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.launcher.node.AdvertisedAddress.NetworkPort;

/** Over a described machine, and once over this one. */
class SourceAddressSelectionTest {
    private static final String OWN = "10.1.0.1";
    private static final String BRIDGE = "172.17.0.1";

    private final List<NetworkPort> ports = new ArrayList<>();
    private final Map<String, List<String>> names = new HashMap<>();
    private final Map<String, String> routes = new HashMap<>();

    @BeforeEach
    void makeAMachineWithContainers() {
        port("lo", "127.0.0.1");
        port("docker0", BRIDGE);
        port("eth0", OWN);
        names.put("b", List.of("10.1.0.2"));
        routes.put("10.1.0.2", OWN);
    }

    private void port(String name, String... addresses) {
        ports.add(new NetworkPort(name, true, name.equals("lo"), name.startsWith("tun"),
            Stream.of(addresses).map(SourceAddressSelectionTest::address).toList()));
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** The kernel's way to an own address is that address. */
    private String found(String connected, String... peers) {
        SourceAddressSelection selection = new SourceAddressSelection(ports, other -> {
            String towards = other.getAddress().getHostAddress();
            boolean isOwn = ports.stream().anyMatch(port -> port.addresses().contains(other.getAddress()));
            return isOwn ? other.getAddress() : routes.containsKey(towards) ? address(routes.get(towards)) : null;
        }, all -> all.stream()
            .flatMap(name -> names.getOrDefault(name, name.matches("[0-9.]+") ? List.of(name) : List.of()).stream())
            .map(SourceAddressSelectionTest::address));
        return selection.find(List.of(peers), Optional.ofNullable(connected)).map(InetAddress::getHostAddress)
            .orElse("none");
    }

    @Test
    void shouldTakeTheWayToOthersWhenTheOwnNameStandsForAllInterfaces() {
        names.put("a", List.of(BRIDGE, OWN));
        assertEquals(OWN, found(null, "a", "b"));
        port("ib0", "10.5.0.1");
        names.put("a", List.of(BRIDGE, OWN, "10.5.0.1"));
        routes.put("10.1.0.2", "10.5.0.1");
        assertEquals("10.5.0.1", found(null, "a", "b"));
    }

    @Test
    void shouldNotTakeABridgeOfContainersWhenNamesOrConnectionsLeadToIt() {
        names.put("b", List.of("172.17.0.9", "10.1.0.2"));
        routes.put("172.17.0.9", BRIDGE);
        assertEquals(OWN, found(null, "a", "b"));
        assertEquals("none", found(BRIDGE, "only-ssh-knows"));
    }

    @Test
    void shouldTakeATunnelWhenItIsTheWayToOthers() {
        port("tun0", "10.8.0.1");
        routes.put("10.1.0.2", "10.8.0.1");
        assertEquals("10.8.0.1", found(null, "a", "b"));
    }

    @Test
    void shouldTakeTheConnectionAndThenTheOwnNameWhenNoOtherIsKnown() {
        names.put("a", List.of("127.0.1.1", BRIDGE, OWN));
        port("eth1", "10.2.0.1");
        assertEquals("10.2.0.1", found("10.2.0.1", "a", "only-ssh-knows"));
        assertEquals(OWN, found(null, "a", "only-ssh-knows"));
        names.put("a", List.of(OWN, "10.2.0.1"));
        assertEquals("none", found(null, "a", "only-ssh-knows"), "it says too much");
    }

    /** As under srun, which passes on the variables of the user's login to another machine. */
    @Test
    void shouldFindNothingWhenTheConnectionIsOfAnotherMachine() {
        assertEquals("none", found("10.9.0.1", "only-srun-knows"));
        names.put("a", List.of(OWN));
        assertEquals(OWN, found("10.9.0.1", "a", "only-srun-knows"));
    }

    @Test
    void shouldFindNothingWhenThisMachineIsAllThatIsNamed() {
        assertEquals(Optional.empty(), SourceAddressSelection.address(List.of("127.0.0.1"), Optional.empty()));
    }
}
