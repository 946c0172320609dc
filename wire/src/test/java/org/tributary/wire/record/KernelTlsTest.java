package org.tributary.wire.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of streams need a kernel with kTLS; without one they are skipped here and run by {@code -Pktls}. */
class KernelTlsTest {
    private static final byte[] FORTH = "0123456789abcdef0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BACK = "another secret of as many bytes.".getBytes(StandardCharsets.US_ASCII);

    @Test
    void shouldTellTheKernelTheseBytesOfAKeyAndOfTheOneThatFollows() {
        RecordKey key = new RecordKey(FORTH);
        assertEquals(RecordVectors.lines("kernel-keys").get(0),
            HexFormat.of().formatHex(KernelTls.cryptoInfo(key)));
        assertEquals(RecordVectors.lines("kernel-keys").get(1),
            HexFormat.of().formatHex(KernelTls.cryptoInfo(key.next())));
    }

    @Test
    void shouldReadTheSequenceNumberBehindTheKeyAsBigEndian() {
        byte[] info = KernelTls.cryptoInfo(new RecordKey(FORTH));
        assertEquals(0, KernelTls.sequence(ByteBuffer.wrap(info)));
        info[39] = 2;
        info[38] = 1;
        assertEquals(258, KernelTls.sequence(ByteBuffer.wrap(info)));
    }

    @Test
    void shouldAskForTheCountOnlyWhenItMayMatter() {
        KeyUse use = new KeyUse(10);
        use.add(9);
        assertFalse(use.mayBeReached());
        use.add(1);
        assertTrue(use.mayBeReached());
        assertFalse(use.isReached());
        use.count(4);
        assertFalse(use.mayBeReached());
        use.add(6);
        use.count(10);
        assertTrue(use.mayBeReached());
        assertTrue(use.isReached());
    }

    @Test
    void shouldSayWhatLacksAndWhatToDoWhenTheKernelCannotDoIt() {
        String problem = KernelTls.problem();
        assumeTrue(problem != null, "this kernel can");
        assertTrue(problem.contains("network.encryption = ktls")
            && problem.contains("Use network.encryption = aes-gcm"), problem);
        assertTrue(problem.contains("module tls") && problem.contains("CONFIG_TLS")
            || problem.contains("CONFIG_CRYPTO_GCM") || problem.contains("Linux 6.14"), problem);
        assertTrue(problem.contains(System.getProperty("os.version")), problem);
    }

    /** Two ends of a connection, which a kernel with kTLS encrypts. */
    @Nested
    class Streams {
        private static final int RENEW_AFTER = 10;

        private Selector selector;
        private SocketChannel left;
        private SocketChannel right;

        @BeforeEach
        void connect() throws IOException {
            assumeTrue(KernelTls.problem() == null, KernelTls::problem);
            selector = Selector.open();
            SocketChannel[] ends = pair();
            left = ends[0];
            right = ends[1];
        }

        @AfterEach
        void close() throws IOException {
            if (selector != null) {
                selector.close();
                left.close();
                right.close();
            }
        }

        private static SocketChannel[] pair() throws IOException {
            try (ServerSocketChannel listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                SocketChannel[] ends = {SocketChannel.open(listener.getLocalAddress()), listener.accept()};
                for (SocketChannel end : ends) {
                    end.configureBlocking(false);
                    end.setOption(StandardSocketOptions.TCP_NODELAY, true);
                }
                return ends;
            }
        }

        /** Waits as ranks do: for the kernel to say that there is something to read. */
        private int read(KernelTlsChannel channel, SocketChannel socket, ByteBuffer target) throws IOException {
            while (true) {
                int count = channel.read(target);
                if (count != 0) {
                    return count;
                }
                SelectionKey key = socket.register(selector, SelectionKey.OP_READ);
                assertTrue(selector.select(20_000) > 0, "nothing came");
                selector.selectedKeys().clear();
                key.cancel();
                selector.selectNow();
            }
        }

        @Test
        void shouldCarryAStreamUnderManyKeys() throws IOException {
            KernelTlsChannel writer = KernelTlsChannel.begin(left, FORTH, BACK, RENEW_AFTER);
            KernelTlsChannel reader = KernelTlsChannel.begin(right, BACK, FORTH, RENEW_AFTER);
            Random random = new Random(3);
            byte[] all = new byte[1_000_000];
            random.nextBytes(all);
            ByteBuffer source = ByteBuffer.wrap(all);
            ByteBuffer target = ByteBuffer.allocate(all.length);
            while (target.hasRemaining()) {
                for (int writes = random.nextInt(1, 30); writes > 0 && source.hasRemaining(); writes--) {
                    ByteBuffer first = source.slice(source.position(), random.nextInt(source.remaining() + 1) % 1500);
                    ByteBuffer second = source.slice(source.position() + first.capacity(),
                        random.nextInt(source.remaining() - first.capacity() + 1) % 3000);
                    source.position(source.position() + (int) writer.write(new ByteBuffer[] {first, second}));
                }
                while (target.position() < source.position()) {
                    int room = Math.min(target.remaining(), random.nextInt(1, 20_000));
                    target.position(target.position() + read(reader, right, target.slice(target.position(), room)));
                }
            }
            assertArrayEquals(all, target.array());
        }

        /** A whole record of TLS, of which somebody on the way knows the length. */
        private byte[] record(SocketChannel from) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(1 << 15).limit(5);
            while (bytes.hasRemaining()) {
                from.read(bytes);
                if (!bytes.hasRemaining() && bytes.position() == 5) {
                    bytes.limit(5 + bytes.getShort(3));
                }
            }
            return Arrays.copyOf(bytes.array(), bytes.position());
        }

        @ParameterizedTest
        @ValueSource(strings = {"flip", "drop", "repeat", "reorder"})
        void shouldRefuseARecordThatWasTamperedWith(String how) throws IOException {
            SocketChannel[] behind = pair();
            try (SocketChannel in = right; SocketChannel out = behind[0]; SocketChannel end = behind[1]) {
                KernelTlsChannel writer = KernelTlsChannel.begin(left, FORTH, BACK);
                KernelTlsChannel reader = KernelTlsChannel.begin(end, BACK, FORTH);
                byte[][] records = new byte[3][];
                for (int i = 0; i < records.length; i++) {
                    writer.write(ByteBuffer.wrap(new byte[100 + i]));
                    records[i] = record(in);
                }
                byte[] flipped = records[1].clone();
                flipped[7] ^= 1;
                byte[][] passed = switch (how) {
                    case "flip" -> new byte[][] {records[0], flipped, records[2]};
                    case "drop" -> new byte[][] {records[0], records[2]};
                    case "repeat" -> new byte[][] {records[0], records[0]};
                    default -> new byte[][] {records[0], records[2], records[1]};
                };
                for (byte[] each : passed) {
                    out.write(ByteBuffer.wrap(each));
                }
                ByteBuffer target = ByteBuffer.allocate(1000);
                assertEquals(100, read(reader, end, target));
                for (int i = 0; i < 2; i++) {
                    RecordException refused = assertThrows(RecordException.class, () -> read(reader, end, target));
                    assertTrue(refused.getMessage().contains("record 1 of an encrypted stream does not verify"),
                        refused.getMessage());
                }
            }
        }

        @Test
        void shouldMarkTheEndOfAStream() throws IOException {
            KernelTlsChannel writer = KernelTlsChannel.begin(left, FORTH, BACK);
            KernelTlsChannel reader = KernelTlsChannel.begin(right, BACK, FORTH);
            writer.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            writer.end();
            writer.close();
            assertThrows(ClosedChannelException.class, () -> writer.write(ByteBuffer.allocate(1)));
            ByteBuffer target = ByteBuffer.allocate(10);
            assertEquals(3, read(reader, right, target));
            assertEquals(-1, read(reader, right, target));
            assertEquals(-1, read(reader, right, target));
        }

        @Test
        void shouldNotBlameTheKernelWhenAKeyUpdateCannotBeWritten() throws IOException {
            KernelTlsChannel writer = KernelTlsChannel.begin(left, FORTH, BACK, 1);
            writer.write(ByteBuffer.allocate(1));
            right.setOption(StandardSocketOptions.SO_LINGER, 0);
            right.close();
            IOException broken = assertThrows(IOException.class, () -> writer.write(ByteBuffer.allocate(1)));
            assertFalse(broken.getMessage().contains("kernel"), broken.getMessage());
            assertTrue(broken.getMessage().contains("KeyUpdate"), broken.getMessage());
        }

        @Test
        void shouldFindThatAStreamWasCutOff() throws IOException {
            KernelTlsChannel writer = KernelTlsChannel.begin(left, FORTH, BACK);
            KernelTlsChannel reader = KernelTlsChannel.begin(right, BACK, FORTH);
            writer.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            left.close();
            ByteBuffer target = ByteBuffer.allocate(10);
            assertEquals(3, read(reader, right, target));
            EOFException cut = assertThrows(EOFException.class, () -> read(reader, right, target));
            assertTrue(cut.getMessage().contains("without a last record"), cut.getMessage());
        }
    }
}
