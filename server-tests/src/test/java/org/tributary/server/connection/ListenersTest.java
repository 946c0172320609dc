package org.tributary.server.connection;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.server.ServerException;
import org.tributary.server.testing.TestServers;

class ListenersTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void shouldBeReachedOverBothProtocolsWhenListeningOnAllAddresses(String own) throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1), "server.bind-address=0.0.0.0");
            Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(own, job.server(0).address().getPort()), 10_000);
            assertTrue(socket.isConnected());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"server.port", "server.metrics-port"})
    void shouldNameAddressSettingAndRemedyWhenThePortIsTaken(String key) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            String message = assertThrows(ServerException.class, () -> TestServers.start(Topology.of(1),
                "server.bind-address=127.0.0.1", "server.metrics-address=127.0.0.1", key + "=" + taken.getLocalPort())
                .close()).getMessage();
            assertTrue(message.contains("cannot listen at 127.0.0.1 (" + key.replaceAll("[^.]*port$", "")), message);
            assertTrue(message.contains(" port " + taken.getLocalPort() + " (" + key + ")"), message);
            assertTrue(message.contains("set " + key + " to another port; 0 takes a free one"), message);
        }
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.7, no interface of this machine has the address",
        "no-such-host.invalid, the name has no address"})
    void shouldNameTheSettingWhenTheAddressIsNotOfThisMachine(String address, String why) {
        String message = assertThrows(ServerException.class,
            () -> TestServers.start(Topology.of(1), "server.bind-address=" + address).close()).getMessage();
        assertTrue(message.contains(why) && message.contains("correct server.bind-address"), message);
    }

    @Test
    void shouldSayThatItListensOnAllAddressesWhenItDoes() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1), "server.bind-address=0.0.0.0")) {
            assertTrue(job.server(0).address().getAddress().isAnyLocalAddress());
        }
    }
}
