package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.wire.codec.ChallengeEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.RefusedDecoder;
import org.tributary.wire.codec.Role;

/** The connecting side, against servers that are none. */
class BlockingConnectionTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(250);
    private static final Membership JOB = new Membership("job", "0123456789abcdef".getBytes(StandardCharsets.UTF_8),
        Agreement.of(Settings.defaults(), Topology.of(1, 1)));

    private ServerSocketChannel listener;

    @BeforeEach
    void listen() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
    }

    private BlockingConnection connect(long timeoutNs) throws IOException {
        return BlockingConnection.connect(listener.getLocalAddress(), timeoutNs);
    }

    @Test
    void shouldTryEveryAddressOfANameWhenSomeTakeNoConnection() throws IOException {
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        InetSocketAddress name = InetSocketAddress.createUnresolved("a-name", port);
        InetAddress closed = InetAddress.getByName("127.0.0.2");
        InetAddress open = InetAddress.getByName("127.0.0.1");
        Deadline deadline = Deadline.in(TIMEOUT_NS);
        BlockingConnection.connect(name, new InetAddress[] {closed, open}, 0, deadline).close();
        InetAddress alsoClosed = InetAddress.getByName("127.0.0.3");
        String problem = assertThrows(ConnectException.class,
            () -> BlockingConnection.connect(name, new InetAddress[] {closed, alsoClosed}, 0, deadline)).getMessage();
        assertTrue(problem.startsWith("none of the addresses of a-name takes a connection at port " + port
            + ": 127.0.0.2: "), problem);
        assertTrue(problem.contains("127.0.0.3: "), problem);
    }

    /** What admit throws when the server sends these bytes and closes. */
    private IOException answeredBy(byte... answer) throws IOException {
        try (BlockingConnection connection = connect(TIMEOUT_NS); SocketChannel server = listener.accept()) {
            server.write(ByteBuffer.wrap(answer));
            server.shutdownOutput();
            return assertThrows(IOException.class, () -> connection.admit(JOB, Role.SERVER, 0, 0, 1));
        }
    }

    private static byte[] frame(int length, byte... rest) {
        return ByteBuffer.allocate(4 + rest.length).order(ByteOrder.LITTLE_ENDIAN).putInt(length).put(rest).array();
    }

    @Test
    void shouldRefuseWhenAnswerIsNotOfTheProtocol() throws IOException {
        assertTrue(answeredBy("HTTP/1.1 400 Bad Request".getBytes(StandardCharsets.UTF_8)).getMessage()
            .contains("does not speak Tributary's protocol"));
        assertTrue(answeredBy(frame(11, new byte[7])).getMessage().contains("frame of 11 bytes"));
        assertTrue(answeredBy(frame(-5, new byte[7])).getMessage().contains("frame of -5 bytes"));
        assertTrue(answeredBy(frame(12, new byte[8])).getMessage()
            .contains("message 0 of schema 0 where Challenge (2)"));
        assertEquals(UnfinishedHandshakeException.class, answeredBy().getClass());
        assertEquals(UnfinishedHandshakeException.class, answeredBy(frame(50, new byte[20])).getClass());
    }

    @Test
    void shouldSendNoProofWhenServerCannotProveItself() throws IOException {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[Frames.HEADER_BYTES + ChallengeEncoder.BLOCK_LENGTH]);
        buffer.putInt(0, buffer.capacity());
        new ChallengeEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, new MessageHeaderEncoder());
        BlockingConnection connection = connect(TIMEOUT_NS);
        try (SocketChannel server = listener.accept()) {
            server.write(ByteBuffer.wrap(buffer.byteArray()));
            String message = assertThrows(RefusedException.class,
                () -> connection.admit(JOB, Role.SERVER, 0, 0, 1)).getMessage();
            assertTrue(message.contains("does not know the secret of job job"), message);
            connection.close();
            ByteBuffer received = ByteBuffer.allocate(1000);
            while (server.read(received) >= 0) {
                // to the end
            }
            int hello = received.order(ByteOrder.LITTLE_ENDIAN).getInt(0);
            assertEquals(RefusedDecoder.TEMPLATE_ID, received.getShort(hello + Frames.LENGTH_BYTES + Short.BYTES));
            assertEquals(hello + received.getInt(hello), received.position(), "more than Hello and Refused");
        }
    }

    @Test
    void shouldGiveUpWhenNoAnswerComesInTime() throws IOException {
        try (BlockingConnection connection = connect(TimeUnit.MILLISECONDS.toNanos(50))) {
            assertThrows(SocketTimeoutException.class, () -> connection.admit(JOB, Role.SERVER, 0, 0, 1));
        }
    }

    /** Connections to a listener whose queue is full, because its server was stopped. */
    private static List<SocketChannel> fill(SocketAddress address) throws IOException {
        List<SocketChannel> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            SocketChannel channel = address instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
            waiting.add(channel);
            channel.configureBlocking(false);
            try {
                channel.connect(address);
            } catch (SocketException e) {
                return waiting; // it is full
            }
        }
        return waiting;
    }

    private static void closeAll(List<SocketChannel> channels) throws IOException {
        for (SocketChannel each : channels) {
            each.close();
        }
    }

    @Test
    void shouldGiveUpWhenAUnixSocketAcceptsNobody(@TempDir Path directory) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("socket"));
        try (ServerSocketChannel stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address, 1)) {
            List<SocketChannel> waiting = fill(address);
            String message = assertThrows(SocketTimeoutException.class,
                () -> BlockingConnection.connect(address, TimeUnit.MILLISECONDS.toNanos(100))).getMessage();
            assertTrue(message.contains("accepts no connection in time"), message);
            CompletableFuture<BlockingConnection> patient = CompletableFuture.supplyAsync(() -> {
                try {
                    return BlockingConnection.connect(address, TIMEOUT_NS);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Thread.sleep(20);
            assertFalse(patient.isDone());
            stopped.accept().close();
            patient.get(TIMEOUT_NS, TimeUnit.NANOSECONDS).close();
            closeAll(waiting);
        }
        assertThrows(ConnectException.class, () -> BlockingConnection.connect(address, TIMEOUT_NS));
        Files.delete(address.getPath());
        assertThrows(SocketException.class, () -> BlockingConnection.connect(address, TIMEOUT_NS));
    }

    /** Trying again may help then. */
    @Test
    void shouldSayThatTheTimeIsOverWhenNoAddressOfANameAnswers() throws IOException {
        try (ServerSocketChannel stopped = ServerSocketChannel.open().bind(new InetSocketAddress("0.0.0.0", 0), 1)) {
            InetSocketAddress full = new InetSocketAddress("127.0.0.1", stopped.socket().getLocalPort());
            List<SocketChannel> waiting = fill(full);
            IOException problem = assertThrows(SocketTimeoutException.class, () -> BlockingConnection.connect(full,
                new InetAddress[] {full.getAddress(), InetAddress.getByName("127.0.0.2")}, 0,
                Deadline.in(TimeUnit.MILLISECONDS.toNanos(200))));
            assertTrue(BlockingConnection.mayTryAgain(problem));
            closeAll(waiting);
        }
    }

    @Test
    void shouldLeaveNoDescriptorOpenWhenNobodyListens() throws IOException {
        InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
        listener.close();
        int before = descriptors();
        for (int i = 0; i < 50; i++) {
            assertThrows(ConnectException.class, () -> BlockingConnection.connect(address, TIMEOUT_NS));
        }
        int after = descriptors();
        assertTrue(after < before + 25, () -> before + " descriptors before, " + after + " after 50 attempts");
    }

    private static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    @Test
    void shouldReadWhatItWroteWhenAddressIsFormatted() {
        for (String text : new String[] {"127.0.0.1:80", "[0:0:0:0:0:0:0:1]:65535"}) {
            assertEquals(text, ServerAddress.format(ServerAddress.parse(text)));
        }
        assertEquals(7, ServerAddress.parse("[::1]:7").getPort());
    }
}
