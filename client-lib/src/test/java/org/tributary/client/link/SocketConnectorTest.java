package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.FailurePolicy;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

/** A server that ends while a rank connects to it. */
class SocketConnectorTest {
    private final JobFailure failure = new JobFailure(FailurePolicy.THROW, 0, true);
    private ServerSocket dying;
    private SocketConnector connector;

    @BeforeEach
    void listen() throws IOException {
        dying = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        connector = new SocketConnector(JobEnvironment.builder().jobId("connector").secret(new byte[32])
            .topology(Topology.of(1, 1)).node(0).rank(0)
            .servers(List.of("127.0.0.1:9", "127.0.0.1:" + dying.getLocalPort()))
            .build(), Settings.defaults(), failure);
    }

    @AfterEach
    void close() throws IOException {
        dying.close();
    }

    /** Takes a connection and closes it in the middle of the handshake; then something happens. */
    private void die(Runnable then) {
        Thread.ofVirtual().start(() -> {
            try {
                dying.accept().close();
                then.run();
            } catch (IOException e) {
                failure.fail(e.toString());
            }
        });
    }

    @Test
    void shouldSayWhyTheJobEndsWhenAServerDiesInTheHandshake() {
        die(() -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300)); // the neighbours take a moment to tell
            failure.fail("the communication server of node 1 is gone");
        });
        assertEquals("the communication server of node 1 is gone",
            assertThrows(JobAbortedException.class, () -> connector.toServer(1)).getMessage());
    }

    @Test
    void shouldSayWhatHappenedWhenNobodyKnowsMore() {
        die(() -> { });
        String message = assertThrows(AttachException.class, () -> connector.toServer(1)).getMessage();
        assertTrue(message.contains("cannot connect to the server of node 1"), message);
    }
}
