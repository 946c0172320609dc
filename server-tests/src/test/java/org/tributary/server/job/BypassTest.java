package org.tributary.server.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.Frames;
import org.tributary.wire.Handshake;
import org.tributary.wire.Membership;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.codec.Role;

/** Servers 2 to 4 in a row, each behind the one before; server 1 is stopped, and server 0 goes around it. */
class BypassTest {
    private static final int SERVERS = 5;
    private static final long DEADLINE_S = 200;
    private static final IntFunction<int[]> ROW = node -> node + 1 < SERVERS ? new int[] {node + 1} : new int[0];
    private static final ByteBuffer NEWS = PeerMessages.abort(0, "enough");

    private final List<ServerSocketChannel> listeners = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();
    private JobEnvironment job;
    private Membership membership;
    private Bypass bypass;

    @BeforeEach
    void listen() throws IOException {
        for (int node = 0; node < SERVERS; node++) {
            listeners.add(ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0)));
            addresses.add("127.0.0.1:" + listeners.get(node).socket().getLocalPort());
        }
        job = JobEnvironment.builder().jobId("bypass").secret("0123456789abcdef".getBytes(StandardCharsets.UTF_8))
            .topology(Topology.of(1, 1, 1, 1, 1)).node(0).servers(addresses).build();
        membership = Membership.of(job, Settings.defaults());
        within(DEADLINE_S);
    }

    private void within(long totalS) {
        bypass = bypass(totalS, ServerAddress::parse);
    }

    private Bypass bypass(long totalS, Function<String, InetSocketAddress> lookup) {
        return new Bypass(job, Settings.defaults(), ROW, NEWS, TimeUnit.SECONDS.toNanos(totalS), lookup,
            Thread.ofPlatform().daemon().factory());
    }

    @AfterEach
    void close() throws IOException {
        bypass.close();
        for (ServerSocketChannel listener : listeners) {
            listener.close();
        }
    }

    private static byte[] frame(SocketChannel connection) throws IOException {
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        readAll(connection, length);
        ByteBuffer frame = ByteBuffer.allocate(length.getInt(0)).put(length.flip());
        readAll(connection, frame);
        return frame.array();
    }

    private static void readAll(SocketChannel connection, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (connection.read(bytes) < 0) {
                throw new IOException("given up");
            }
        }
    }

    /** What the server of a node hears, whose process runs from now on. */
    private CompletableFuture<byte[]> hears(int node) {
        return CompletableFuture.supplyAsync(() -> {
            try (SocketChannel connection = listeners.get(node).accept()) {
                AcceptingHandshake handshake =
                    new AcceptingHandshake(membership, node, new byte[Handshake.TOKEN_BYTES]);
                byte[] hello = frame(connection);
                connection.write(ByteBuffer.wrap(handshake.receive(new UnsafeBuffer(hello), 0, hello.length)));
                byte[] response = frame(connection);
                handshake.receive(new UnsafeBuffer(response), 0, response.length);
                connection.write(ByteBuffer.wrap(handshake.decide(new AcceptingHandshake.Gate() {
                    @Override
                    public Handshake.Refusal problemWith(Handshake.Peer peer) {
                        return null;
                    }

                    @Override
                    public int maxPayload(Role role) {
                        return Frames.MAX_HANDSHAKE;
                    }
                })));
                frame(connection); // Joined
                return frame(connection);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, task -> Thread.ofPlatform().daemon().start(task));
    }

    private static void assertHeard(CompletableFuture<byte[]> heard) throws Exception {
        assertEquals(NEWS.duplicate(), ByteBuffer.wrap(heard.get(DEADLINE_S, TimeUnit.SECONDS)));
    }

    /** Server 2 is only slow: it hears it, and is gone around meanwhile. */
    @Test
    void shouldTellAServerWhenItIsSlow() throws Exception {
        CompletableFuture<byte[]> behind = hears(3);
        CompletableFuture<Void> done = bypass.goAround(new int[] {1});
        assertHeard(behind);
        assertHeard(hears(2));
        done.get(DEADLINE_S, TimeUnit.SECONDS);
    }

    @Test
    void shouldComeToAnEndWhenEveryoneIsStopped() throws Exception {
        within(2);
        bypass.goAround(new int[] {1}).get(DEADLINE_S, TimeUnit.SECONDS);
    }

    @Test
    void shouldComeToAnEndWhenNoNameServiceAnswers() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        bypass = bypass(2, address -> {
            awaitUninterruptibly(never);
            return ServerAddress.parse(address);
        });
        try {
            bypass.goAround(new int[] {1}).get(DEADLINE_S, TimeUnit.SECONDS);
        } finally {
            never.countDown();
        }
    }

    /** As a lookup, which no interrupt ends. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ignored) {
                // on and on
            }
        }
    }

    @Test
    void shouldComeToAnEndWhenTheOthersAreGone() throws Exception {
        for (ServerSocketChannel listener : listeners) {
            listener.close();
        }
        bypass.goAround(new int[] {1}).get(DEADLINE_S, TimeUnit.SECONDS);
    }

    /** The end of the server waits for it. */
    @Test
    void shouldComeToAnEndWhenThereIsNoThread() {
        try (Bypass none = new Bypass(job, Settings.defaults(), ROW, NEWS, TimeUnit.SECONDS.toNanos(DEADLINE_S),
            ServerAddress::parse, task -> {
                throw new OutOfMemoryError("unable to create native thread");
            })) {
            assertTrue(none.goAround(new int[] {1}).isCompletedExceptionally());
        }
    }

    /** One that has no place for this server now may have later. */
    @Test
    void shouldTryAgainWhenAServerTurnsItAway() throws Exception {
        CompletableFuture<Void> done = bypass.goAround(new int[] {1});
        try (SocketChannel turnedAway = listeners.get(2).accept()) {
            turnedAway.write(ByteBuffer.wrap(new AcceptingHandshake(membership, 2, new byte[Handshake.TOKEN_BYTES])
                .turnAway("too many")));
        }
        assertHeard(hears(2));
        done.get(DEADLINE_S, TimeUnit.SECONDS);
    }
}
