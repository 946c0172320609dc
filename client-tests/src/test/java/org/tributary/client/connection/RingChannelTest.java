package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.wire.shm.RequestRing;
import org.tributary.wire.shm.RingFile;

class RingChannelTest {
    private static final int RING = 4096;
    private static final int NUMBERS = 2_000_000;
    private static final int WAKE = 12;
    private static final int REMINDERS = 100_000;
    private static final int SMALL = 4096;

    /** Two buffers in one call while the server makes room: no byte of the second comes before all of the first. */
    @Test
    void shouldKeepOrderWhenRoomIsMadeWhileBuffersAreGathered(@TempDir Path directory)
        throws IOException, ExecutionException, InterruptedException {
        try (Arena arena = Arena.ofShared();
            ServerSocketChannel listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel socket = SocketChannel.open(listener.getLocalAddress())) {
            RingFile rings = RingFile.create(directory.resolve("rings"), arena, 1, RING);
            RequestRing.Reader reader = rings.reader(0);
            CompletableFuture<Integer> outOfOrder = CompletableFuture.supplyAsync(() -> outOfOrder(reader, arena));
            RingChannel ring = new RingChannel(rings, 0, socket);
            ByteBuffer all = ByteBuffer.allocateDirect(Integer.BYTES * NUMBERS);
            for (int i = 0; i < NUMBERS; i++) {
                all.putInt(i);
            }
            all.flip();
            while (all.hasRemaining() && !outOfOrder.isDone()) {
                int first = Math.min(all.remaining(), RING - Integer.BYTES);
                ByteBuffer[] both = {all.slice(all.position(), first),
                    all.slice(all.position() + first, Math.min(all.remaining() - first, RING))};
                int written = (int) ring.write(both);
                if (written == 0) {
                    Thread.yield();
                }
                all.position(all.position() + written);
            }
            assertEquals(-1, outOfOrder.get());
        }
    }

    /** A socket of TCP cuts wake-ups when it is full: whatever follows the first half of one must be its other half. */
    @Test
    void shouldRemindOfNothingMoreWhenTheServerHasNotReadForLong(@TempDir Path directory) throws IOException {
        try (Arena arena = Arena.ofShared();
            ServerSocketChannel listener = ServerSocketChannel.open().setOption(StandardSocketOptions.SO_RCVBUF, SMALL)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel socket = SocketChannel.open().setOption(StandardSocketOptions.SO_SNDBUF, SMALL)) {
            socket.connect(listener.getLocalAddress());
            socket.configureBlocking(false);
            RingFile rings = RingFile.create(directory.resolve("rings"), arena, 1, RING);
            RingChannel ring = new RingChannel(rings, 0, socket);
            ring.write(ByteBuffer.allocateDirect(1));
            try (SocketChannel server = listener.accept()) {
                server.configureBlocking(false);
                ByteBuffer read = ByteBuffer.allocateDirect(REMINDERS * WAKE).order(ByteOrder.LITTLE_ENDIAN);
                for (int i = 0; i < REMINDERS; i++) {
                    ring.remind();
                    if (i % 1000 == 0) {
                        server.read(read);
                    }
                }
                socket.shutdownOutput();
                server.configureBlocking(true);
                while (server.read(read) >= 0) {
                    assertTrue(read.hasRemaining(), "more than was sent");
                }
                assertTrue(read.hasRemaining(), "the socket was never full");
                read.flip();
                for (int at = 0; at + WAKE <= read.limit(); at += WAKE) {
                    assertEquals(WAKE, read.getInt(at), "length of the wake-up at " + at);
                    assertEquals(read.getLong(Integer.BYTES), read.getLong(at + Integer.BYTES));
                }
            }
        }
    }

    /** The first number that is not where it belongs, or -1. */
    private static int outOfOrder(RequestRing.Reader reader, Arena arena) {
        MemorySegment copy = arena.allocate(RING);
        for (int i = 0; i < NUMBERS; ) {
            int length = reader.available() & -Integer.BYTES;
            if (length == 0) {
                Thread.yield(); // or the writer, on the same processor, would wait for the end of a time slice
            }
            reader.copy(copy, length);
            reader.take(length);
            for (int at = 0; at < length; at += Integer.BYTES, i++) {
                if (copy.get(ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN), at) != i) {
                    return i;
                }
            }
        }
        return -1;
    }
}
