package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.wire.shm.RequestRing;
import org.tributary.wire.shm.RingFile;

@Timeout(60)
class RingChannelTest {
    private static final int RING = 4096;
    private static final int NUMBERS = 2_000_000;

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
                all.position(all.position() + (int) ring.write(both));
            }
            assertEquals(-1, outOfOrder.get());
        }
    }

    /** The first number that is not where it belongs, or -1. */
    private static int outOfOrder(RequestRing.Reader reader, Arena arena) {
        MemorySegment copy = arena.allocate(RING);
        for (int i = 0; i < NUMBERS; ) {
            int length = reader.available() & -Integer.BYTES;
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
