package org.tributary.benchmarks.limits;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RawLimitsTest {
    private SocketChannel origin;
    private SocketChannel target;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            origin = SocketChannel.open(listener.getLocalAddress());
            target = listener.accept();
        }
    }

    @AfterEach
    void disconnect() throws IOException {
        origin.close();
        target.close();
    }

    @Test
    @Timeout(400)
    void shouldMeasureAllLimitsWhenOtherSideAnswers() throws IOException {
        byte[] from = {1, 2, 3, 4, 5, 6, 7, 8};
        byte[] to = new byte[from.length];
        CompletableFuture<Void> answered = CompletableFuture.runAsync(this::answer);

        RawLimits limits = RawLimits.measure(origin, MemorySegment.ofArray(from), MemorySegment.ofArray(to));
        answered.join();

        assertEquals(List.of("spinning ping-pong", "blocking ping-pong", "stream", "memory copy"),
            limits.all().map(Limit::name).toList());
        assertTrue(limits.all().allMatch(limit -> limit.sample().medianNs() > 0), limits::toString);
        assertArrayEquals(from, to);
    }

    @Test
    void shouldFailWhenOtherSideEnds() throws IOException {
        target.close();

        MemorySegment memory = MemorySegment.ofArray(new byte[8]);
        assertThrows(IOException.class, () -> RawLimits.measure(origin, memory, memory));
    }

    @Test
    void shouldEndBlockedReadWhenWatchdogRunsOut() {
        try (Watchdog _ = new Watchdog(origin, Duration.ofMillis(50))) {
            assertThrows(AsynchronousCloseException.class, () -> origin.read(ByteBuffer.allocate(1)));
        }
    }

    private void answer() {
        try {
            RawLimits.answer(target);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
