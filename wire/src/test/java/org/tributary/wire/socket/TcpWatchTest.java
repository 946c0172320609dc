package org.tributary.wire.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TcpWatchTest {
    private final TcpInfo info = new TcpInfo();

    private interface Check {
        void with(SocketChannel near, SocketChannel far) throws IOException, InterruptedException;
    }

    private static void connected(Check check) throws IOException, InterruptedException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
            SocketChannel near = SocketChannel.open(listener.getLocalAddress());
            SocketChannel far = listener.accept()) {
            check.with(near, far);
        }
    }

    @Test
    void shouldNotBeSilentWhenOtherSideReadsNothingForLongerThanTimeout() throws Exception {
        long timeoutNs = TimeUnit.SECONDS.toNanos(5);
        connected((near, far) -> {
            near.configureBlocking(false);
            TcpWatch watch = TcpWatch.of(near, timeoutNs);
            TcpWatch.of(far, timeoutNs); // keep-alive of the other side
            long startNs = System.nanoTime();
            long sent = 0;
            ByteBuffer piece = ByteBuffer.allocateDirect(1 << 16);
            long nowNs = startNs;
            long nextLookNs = startNs + timeoutNs / 4;
            while (nowNs - startNs < 2 * timeoutNs) {
                sent += Math.max(0, near.write(piece.clear()));
                nowNs = System.nanoTime();
                if (nowNs - nextLookNs >= 0) {
                    nextLookNs = nowNs + timeoutNs / 4;
                    assertFalse(watch.checkSilence(info, nowNs), "after " + (nowNs - startNs) / 1e9 + " s");
                }
                Thread.sleep(1);
            }
            near.shutdownOutput();
            long received = 0;
            for (int count = 0; count >= 0; count = far.read(piece.clear())) {
                received += count;
            }
            assertEquals(sent, received, "the connection lives");
        });
    }

    @Test
    void shouldSeeWhatHasComeWhenOtherSideAnswers() throws Exception {
        connected((near, far) -> {
            near.configureBlocking(false);
            assertTrue(info.read(SocketDescriptor.of(near)));
            int before = info.segmentsReceived();
            assertFalse(info.isUnanswered());
            near.write(ByteBuffer.allocate(1));
            far.read(ByteBuffer.allocate(1));
            far.write(ByteBuffer.allocate(1));
            assertTrue(info.read(SocketDescriptor.of(near)));
            assertTrue(info.segmentsReceived() > before, before + " segments before and after");
        });
    }

    @ParameterizedTest
    @CsvSource({"5, 2, 1, 3", "7, 3, 1, 4", "30, 15, 3, 5", "86400, 32767, 10800, 4"})
    void shouldLeaveIdleConnectionNoMoreThanTimeout(long seconds, int idle, int interval, int probes)
        throws Exception {
        connected((near, far) -> {
            int descriptor = SocketDescriptor.of(near);
            TcpWatch.of(near, TimeUnit.SECONDS.toNanos(seconds));
            assertEquals(1, SocketOptions.get(descriptor, 1, 9));
            assertEquals(idle, SocketOptions.get(descriptor, SocketOptions.IPPROTO_TCP, 4));
            assertEquals(interval, SocketOptions.get(descriptor, SocketOptions.IPPROTO_TCP, 5));
            assertEquals(probes, SocketOptions.get(descriptor, SocketOptions.IPPROTO_TCP, 6));
            assertTrue(probes >= 3, "one that is lost, or late, says nothing");
            assertTrue(idle + interval * probes <= seconds);
        });
    }

    @Test
    void shouldWatchNothingWhenConnectionStaysOnMachine(@TempDir Path directory) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
            SocketChannel near = SocketChannel.open(address)) {
            assertTrue(listener.isOpen());
            assertNull(TcpWatch.of(near, TimeUnit.SECONDS.toNanos(2)));
        }
    }

    @Test
    void shouldSayWhatIsRefusedWhenDescriptorIsNoSocket() {
        String message = assertThrows(IOException.class, () -> TcpWatch.of(-1, TimeUnit.SECONDS.toNanos(2)))
            .getMessage();
        assertTrue(message.contains("errno 9"), message);
    }
}
