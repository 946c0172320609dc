package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequestRingTest {
    private static final int CAPACITY = 64;

    /** Positive steps write that many bytes, negative ones take some. */
    @Property(tries = 300)
    void shouldHoldWhatAQueueHoldsWhenWrittenAndTakenInTurn(
        @ForAll @Size(max = 200) List<@IntRange(min = -100, max = 100) Integer> steps, @ForAll long seed) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(RequestRing.bytes(CAPACITY), 64);
            RequestRing.Writer writer = new RequestRing.Writer(memory, "the ring");
            RequestRing.Reader reader = new RequestRing.Reader(memory, "the ring");
            ArrayDeque<Byte> queue = new ArrayDeque<>();
            Random random = new Random(seed);
            for (int step : steps) {
                if (step > 0) {
                    byte[] bytes = new byte[step];
                    random.nextBytes(bytes);
                    ByteBuffer source = ByteBuffer.wrap(bytes);
                    int written = writer.write(source);
                    assertEquals(Math.min(step, CAPACITY - queue.size()), written);
                    assertEquals(written, source.position());
                    assertEquals(queue.size(), reader.available(), "seen before it was published");
                    writer.publish();
                    for (int i = 0; i < written; i++) {
                        queue.add(bytes[i]);
                    }
                } else {
                    assertEquals(queue.size(), reader.available());
                    byte[] copy = new byte[Math.min(-step, queue.size())];
                    reader.copy(MemorySegment.ofArray(copy), copy.length);
                    reader.take(copy.length);
                    byte[] expected = new byte[copy.length];
                    for (int i = 0; i < expected.length; i++) {
                        expected[i] = queue.remove();
                    }
                    assertArrayEquals(expected, copy);
                }
                assertEquals(queue.isEmpty(), writer.isEmpty());
            }
        }
    }

    @Test
    void shouldCarryEveryByteInOrderWhenBothSidesAreAtWork() throws InterruptedException {
        int total = 4 << 20;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(RequestRing.bytes(4096), 64);
            Thread rank = Thread.ofPlatform().daemon().start(() -> {
                RequestRing.Writer writer = new RequestRing.Writer(memory, "the ring");
                Random bytes = new Random(1);
                Random lengths = new Random(2);
                byte[] piece = new byte[3000];
                for (int sent = 0; sent < total; sent += piece.length) {
                    bytes.nextBytes(piece);
                    ByteBuffer source = ByteBuffer.wrap(piece);
                    while (source.position() < piece.length) {
                        source.limit(Math.min(piece.length, source.position() + 1 + lengths.nextInt(1000)));
                        if (writer.write(source) == 0) {
                            Thread.yield();
                        }
                        writer.publish();
                    }
                }
            });
            RequestRing.Reader reader = new RequestRing.Reader(memory, "the ring");
            Random bytes = new Random(1);
            byte[] expected = new byte[3000];
            byte[] got = new byte[3000];
            for (int taken = 0; taken < total; taken += got.length) {
                bytes.nextBytes(expected);
                for (int filled = 0; filled < got.length;) {
                    int length = Math.min(reader.available(), got.length - filled);
                    reader.copy(MemorySegment.ofArray(got).asSlice(filled), length);
                    reader.take(length);
                    filled += length;
                    if (length == 0) {
                        Thread.yield();
                    }
                }
                assertArrayEquals(expected, got);
            }
            rank.join();
        }
    }

    @Test
    void shouldRefuseWhenTailCannotBe() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(RequestRing.bytes(CAPACITY), 64);
            RequestRing.Reader reader = new RequestRing.Reader(memory, "the ring");
            for (long tail : new long[] {-1, CAPACITY + 1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32}) {
                memory.set(ValueLayout.JAVA_LONG, 0, tail);
                assertTrue(assertThrows(DamagedMemoryException.class, reader::available).getMessage()
                    .contains("the ring is damaged: its tail is " + tail + ", not between 0"));
            }
            memory.set(ValueLayout.JAVA_LONG, 0, CAPACITY);
            assertEquals(CAPACITY, reader.available());
            reader.take(CAPACITY);
            memory.set(ValueLayout.JAVA_LONG, 0, CAPACITY - 1);
            memory.set(ValueLayout.JAVA_LONG, 128, 0); // not what the reader goes by
            assertThrows(DamagedMemoryException.class, reader::available);
        }
    }

    @Test
    void shouldHaveGoldenBytesWhenRingsAreWritten(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("rings");
        try (Arena arena = Arena.ofConfined()) {
            RingFile rings = RingFile.create(file, arena, 2, 4096);
            MemorySegment memory = SharedFile.map(file, arena);
            assertEquals(256 + 2 * (256 + 4096), memory.byteSize());
            assertEquals(0x474E_4952_5542_4952L, memory.get(ValueLayout.JAVA_LONG, 0));
            assertEquals(1, memory.get(ValueLayout.JAVA_INT, 8));
            assertEquals(2, memory.get(ValueLayout.JAVA_INT, 12));
            assertEquals(4096, memory.get(ValueLayout.JAVA_INT, 16));
            RingFile opened = RingFile.open(file, arena);
            assertEquals(2, opened.localRankCount());
            RequestRing.Writer writer = opened.writer(1);
            assertEquals(5, writer.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5})));
            writer.publish();
            long ring = 256 + 256 + 4096;
            assertEquals(5, memory.get(ValueLayout.JAVA_LONG, ring));
            assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 0},
                memory.asSlice(ring + 256, 6).toArray(ValueLayout.JAVA_BYTE));
            RequestRing.Reader reader = rings.reader(1);
            reader.take(reader.available());
            assertEquals(5, memory.get(ValueLayout.JAVA_LONG, ring + 128));
            assertTrue(writer.isEmpty());
            ServerBell rank = opened.bell();
            ServerBell server = rings.bell();
            assertFalse(rank.ring(), "nobody sleeps");
            assertEquals(1, memory.get(ValueLayout.JAVA_INT, 128));
            assertTrue(server.sleep(1));
            assertEquals(1, memory.get(ValueLayout.JAVA_INT, 132));
            assertTrue(rank.ring());
            assertFalse(rank.ring(), "it is being woken");
            assertTrue(opened.bell().ring(), "another rank does not rely on that");
            assertFalse(server.sleep(1));
            assertFalse(server.isAsleep());
            assertTrue(server.sleep(4));
            assertTrue(rank.ring(), "it sleeps anew");
        }
    }

    @Test
    void shouldRefuseWhenFileHoldsNoRings(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("rings");
        try (Arena arena = Arena.ofConfined()) {
            Files.write(file, new byte[100]);
            assertThrows(IOException.class, () -> RingFile.open(file, arena));
            Files.delete(file);
            RingFile.create(file, arena, 1, 4096);
            MemorySegment memory = SharedFile.map(file, arena);
            for (int at : new int[] {0, 8, 12, 16}) {
                int before = memory.get(ValueLayout.JAVA_INT, at);
                for (int wrong : new int[] {before + 1, 0, -1, Integer.MIN_VALUE}) {
                    memory.set(ValueLayout.JAVA_INT, at, wrong);
                    assertThrows(IOException.class, () -> RingFile.open(file, arena), at + " " + wrong);
                }
                memory.set(ValueLayout.JAVA_INT, at, before);
            }
            assertEquals(1, RingFile.open(file, arena).localRankCount());
        }
    }
}
