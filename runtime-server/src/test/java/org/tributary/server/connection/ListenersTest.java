package org.tributary.server.connection;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
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

    @Test
    void shouldSayThatItListensOnAllAddressesWhenItDoes() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1), "server.bind-address=0.0.0.0")) {
            assertTrue(job.server(0).address().getAddress().isAnyLocalAddress());
        }
    }
}
