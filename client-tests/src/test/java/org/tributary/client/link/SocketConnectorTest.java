package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.connection.Transport;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.FailurePolicy;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.Frames;
import org.tributary.wire.Handshake;
import org.tributary.wire.Membership;
import org.tributary.wire.codec.Role;

/** A server that ends while a rank connects to it, or has no patience with it. */
class SocketConnectorTest {
    private static final int RELENTS_AFTER = 4;

    private final JobFailure failure = new JobFailure(FailurePolicy.THROW, 0, true);
    @TempDir
    private Path directory;
    private ServerSocketChannel server;
    private UnixDomainSocketAddress own;
    private ServerSocketChannel ownServer;
    private JobEnvironment job;
    private SocketConnector connector;

    @BeforeEach
    void listen() throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
        own = UnixDomainSocketAddress.of(directory.resolve("socket"));
        ownServer = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(own);
        job = jobWith("127.0.0.1:" + server.socket().getLocalPort());
        connect("attach.timeout=60s");
    }

    private static JobEnvironment jobWith(String secondServer) {
        return JobEnvironment.builder().jobId("connector").secret(new byte[32])
            .topology(Topology.of(1, 1)).node(0).rank(0).servers(List.of("127.0.0.1:9", secondServer)).build();
    }

    private void connect(String... settings) {
        Settings.Builder builder = Settings.builder();
        List.of(settings).forEach(builder::set);
        Settings built = builder.build();
        connector = new SocketConnector(job, built, Membership.of(job, built), failure);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        ownServer.close();
    }

    /** What the server does with the connections that it accepts, in their order. */
    private interface Deed {
        void with(int number, SocketChannel connection) throws IOException;
    }

    private void serve(ServerSocketChannel listener, Deed deed) {
        Thread.ofVirtual().start(() -> {
            try {
                for (int number = 0; true; number++) {
                    deed.with(number, listener.accept());
                }
            } catch (ClosedChannelException e) {
                // the test is over
            } catch (IOException e) {
                failure.fail(e.toString());
            }
        });
    }

    /** Takes connections and closes them in the middle of the handshake; after the first one something happens. */
    private void die(Runnable then) {
        serve(server, (number, connection) -> {
            connection.close();
            if (number == 0) {
                then.run();
            }
        });
    }

    private static UnsafeBuffer read(SocketChannel connection) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Frames.MAX_HANDSHAKE).order(ByteOrder.LITTLE_ENDIAN);
        bytes.limit(Frames.LENGTH_BYTES);
        while (bytes.hasRemaining() && connection.read(bytes) >= 0) {
            if (bytes.position() == Frames.LENGTH_BYTES && bytes.limit() == Frames.LENGTH_BYTES) {
                bytes.limit(bytes.getInt(0));
            }
        }
        return new UnsafeBuffer(bytes, 0, bytes.position());
    }

    /** What a server may do with a rank that is slow, or do itself when it is. */
    private enum Impatience {
        CLOSES {
            @Override
            void with(SocketChannel connection, AcceptingHandshake handshake) throws IOException {
                connection.close();
            }
        },
        CLOSES_AFTER_CHALLENGE {
            @Override
            void with(SocketChannel connection, AcceptingHandshake handshake) throws IOException {
                UnsafeBuffer hello = read(connection);
                connection.write(ByteBuffer.wrap(handshake.receive(hello, 0, hello.capacity())));
                connection.close();
            }
        },
        TURNS_AWAY {
            @Override
            void with(SocketChannel connection, AcceptingHandshake handshake) throws IOException {
                connection.write(ByteBuffer.wrap(handshake.turnAway("too slow")));
                read(connection);
                connection.close();
            }
        },
        TURNS_AWAY_AFTER_CHALLENGE {
            @Override
            void with(SocketChannel connection, AcceptingHandshake handshake) throws IOException {
                UnsafeBuffer hello = read(connection);
                connection.write(ByteBuffer.wrap(handshake.receive(hello, 0, hello.capacity())));
                connection.write(ByteBuffer.wrap(handshake.turnAway("too slow")));
                read(connection);
                connection.close();
            }
        },
        IS_SILENT {
            @Override
            void with(SocketChannel connection, AcceptingHandshake handshake) {
                // and keeps the connection
            }
        };

        abstract void with(SocketChannel connection, AcceptingHandshake handshake) throws IOException;
    }

    private void admit(SocketChannel connection, AcceptingHandshake handshake) throws IOException {
        UnsafeBuffer hello = read(connection);
        connection.write(ByteBuffer.wrap(handshake.receive(hello, 0, hello.capacity())));
        UnsafeBuffer response = read(connection);
        handshake.receive(response, 0, response.capacity());
        connection.write(ByteBuffer.wrap(handshake.decide(new AcceptingHandshake.Gate() {
            @Override
            public Handshake.Refusal problemWith(Handshake.Peer peer) {
                return null;
            }

            @Override
            public int maxPayload(Role role) {
                return role.value();
            }
        })));
    }

    private void serve(ServerSocketChannel listener, int node, Impatience impatience, int relentsAfter) {
        SecureRandom random = new SecureRandom();
        serve(listener, (number, connection) -> {
            AcceptingHandshake handshake =
                new AcceptingHandshake(Membership.of(job, Settings.defaults()), node, Handshake.nonce(random));
            try {
                if (number % relentsAfter == relentsAfter - 1) {
                    admit(connection, handshake);
                } else {
                    impatience.with(connection, handshake);
                }
            } catch (IOException | IllegalStateException e) {
                connection.close(); // the rank had no patience either, and comes again
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Impatience.class)
    void shouldTryAgainWhenAServerHasNoPatience(Impatience impatience) throws IOException {
        connect("attach.timeout=60s", "connect.timeout=" + (impatience == Impatience.IS_SILENT ? "300ms" : "60s"));
        serve(server, 1, impatience, RELENTS_AFTER);
        serve(ownServer, 0, impatience, RELENTS_AFTER);
        Connector.Admitted there = connector.connectToServer(1);
        assertEquals(Role.REMOTE_RANK.value(), there.maxPayload());
        there.transport().close();
        Connector.Admitted here = connector.toOwnServer(own, false, null);
        assertEquals(Role.LOCAL_RANK.value(), here.maxPayload());
        here.transport().close();
        connector.lifeline(own).close();
    }

    @ParameterizedTest
    @EnumSource(Impatience.class)
    void shouldSayWhyWhenAServerNeverAdmitsTheRank(Impatience impatience) throws Exception {
        connect("attach.timeout=600ms", "connect.timeout=200ms");
        serve(server, 1, impatience, Integer.MAX_VALUE);
        serve(ownServer, 0, impatience, Integer.MAX_VALUE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) { // each waits for a reason
            List<Future<String>> failures = Stream.<Executable>of(() -> connector.connectToServer(1),
                () -> connector.toOwnServer(own, false, null), () -> connector.lifeline(own))
                .map(attempt -> threads.submit(() -> failureOf(attempt))).toList();
            for (Future<String> each : failures) {
                String message = each.get();
                assertTrue(message.startsWith("the communication server of node "), message);
                assertTrue(message.contains(" has not admitted rank 0 within attach.timeout: "), message);
            }
        }
    }

    private static String failureOf(Executable attempt) {
        return assertThrows(AttachException.class, attempt).getMessage();
    }

    /** Then there is nothing to wait for. */
    @Test
    void shouldGiveUpAtOnceWhenTheOwnServerIsGone() throws IOException {
        ownServer.close();
        connect("attach.timeout=24h");
        assertThrows(ConnectException.class, () -> connector.lifeline(own));
    }

    /** A name service that is busy may know it later. */
    @Test
    void shouldTryUntilTheTimeOutWhenANameCannotBeResolved() {
        job = jobWith("server.invalid:7");
        connect("attach.timeout=700ms");
        long startNs = System.nanoTime();
        String message = failureOf(() -> connector.connectToServer(1));
        assertTrue(message.startsWith("the address of node 1's server, server.invalid:7, cannot be resolved within"
            + " attach.timeout: server.invalid"), message);
        assertTrue(System.nanoTime() - startNs >= TimeUnit.MILLISECONDS.toNanos(700), "was not tried again");
    }

    /** The kernel doubles what it is asked for. */
    @Test
    void shouldHaveBuffersOfTheSettingWhenAConnectionGoesOverTheNetwork() throws IOException {
        int bytes = 50_000;
        connect("attach.timeout=60s", "socket.buffer=" + bytes);
        serve(server, 1, Impatience.CLOSES, 1);
        try (Transport transport = connector.connectToServer(1).transport()) {
            for (SocketOption<Integer> option : List.of(StandardSocketOptions.SO_SNDBUF,
                StandardSocketOptions.SO_RCVBUF)) {
                int has = transport.socket().getOption(option);
                assertTrue(has == bytes || has == 2 * bytes, option + " is " + has);
            }
        }
    }

    /** Nobody listens yet; so it would try for very long. */
    @Test
    void shouldGiveUpAtOnceWhenTheThreadIsInterrupted() throws IOException {
        server.close();
        connect("attach.timeout=24h");
        Thread.currentThread().interrupt();
        try {
            String message = failureOf(() -> connector.connectToServer(1));
            assertTrue(message.startsWith("interrupted: no communication server of node 1 at"), message);
        } finally {
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void shouldSayWhyTheJobEndsWhenAServerDiesInTheHandshake() {
        die(() -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300)); // the neighbours take a moment to tell
            failure.fail("the communication server of node 1 is gone");
        });
        assertEquals("the communication server of node 1 is gone",
            assertThrows(JobAbortedException.class, () -> connector.connectToServer(1)).getMessage());
    }
}
