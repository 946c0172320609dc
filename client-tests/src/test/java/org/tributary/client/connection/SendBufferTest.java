package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.wire.shape.StridedRegion;

/** Every byte reaches the channel once and in order, however little it takes at a time. */
class SendBufferTest {
    private static final int CAPACITY = 4096;
    private static final int LARGE = 20_000;

    private final Arena arena = Arena.ofAuto();
    private final ByteArrayOutputStream expected = new ByteArrayOutputStream();
    private final MemorySegment large = arena.allocate(3 * LARGE);
    private final LinkSets<ServerLink> sets = new LinkSets<>();
    private int full;

    SendBufferTest() {
        byte[] bytes = new byte[3 * LARGE];
        new Random(1).nextBytes(bytes);
        large.copyFrom(MemorySegment.ofArray(bytes));
    }

    private SendBuffer buffer(MemoryTransport transport, SendBuffer.Blocked blocked) {
        return new SendBuffer(transport, CAPACITY, arena, sets.unflushed().membershipOf(null),
            sets.deferred().membershipOf(null), blocked, SendBuffer.DIRECT_BYTES, Thread.currentThread());
    }

    private void number(SendBuffer buffer, long value) throws IOException {
        buffer.ensure(Long.BYTES);
        buffer.codec().putLong(buffer.claim(Long.BYTES), value, ByteOrder.LITTLE_ENDIAN);
        assertFalse(sets.unflushed().isEmpty());
        for (int i = 0; i < Long.BYTES; i++) {
            expected.write((int) (value >>> 8 * i));
        }
    }

    private void payload(SendBuffer buffer, MemorySegment source, int from, int length) throws IOException {
        buffer.payload(source, from, length);
        expected.writeBytes(source.asSlice(from, length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
    }

    /** Numbers, payload that is copied, and payload that goes from where it lies, on and off the heap. */
    private void requests(SendBuffer buffer) throws IOException {
        MemorySegment heap = MemorySegment.ofArray(large.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
        for (int i = 0; i < 3; i++) {
            number(buffer, i * 0x0101010101010101L);
            payload(buffer, large, 100 * i, 57);
            number(buffer, ~i);
            payload(buffer, large, i, LARGE);
            payload(buffer, heap, LARGE + i, LARGE);
        }
        number(buffer, 77);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 63, 4095, 4096, 4097, 19_999, 20_000, 20_001, Integer.MAX_VALUE})
    void shouldKeepEveryByteWhenWritesArePartial(int step) throws IOException {
        MemoryTransport transport = new MemoryTransport().withStep(step);
        SendBuffer buffer = buffer(transport, () -> full++);
        requests(buffer);
        buffer.flush();
        assertArrayEquals(expected.toByteArray(), transport.written());
        assertTrue(sets.unflushed().isEmpty());
        assertFalse(buffer.hasDeferred());
    }

    /** The buffer is flushed in the middle of the message, and what follows is unflushed again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldStayUnflushedWhenAMessageGoesAcrossTheEndOfTheBuffer(boolean contiguous) throws IOException {
        MemoryTransport transport = new MemoryTransport();
        SendBuffer buffer = buffer(transport, () -> full++);
        buffer.claim(CAPACITY - 100);
        if (contiguous) {
            buffer.payload(large, 0, 500);
        } else {
            buffer.payload(new StridedRegion().begin(large, 0, 50).level(100, 10));
        }
        assertEquals(400, buffer.position());
        assertFalse(sets.unflushed().isEmpty());
        buffer.flush();
        assertEquals(CAPACITY + 400, transport.written().length);
        assertTrue(sets.unflushed().isEmpty());
    }

    /** The socket is full at a place of its own in each round; meanwhile answers are read. */
    @Test
    void shouldCallBackUntilThereIsRoomWhenTheSocketIsFull() throws IOException {
        for (int room = 0; room < 2 * CAPACITY; room += 61) {
            expected.reset();
            full = 0;
            MemoryTransport transport = new MemoryTransport().withRoom(room);
            SendBuffer buffer = buffer(transport, () -> {
                if (++full == 3) {
                    transport.withRoom(Long.MAX_VALUE);
                }
            });
            requests(buffer);
            buffer.flush();
            assertArrayEquals(expected.toByteArray(), transport.written(), "room " + room);
            assertEquals(3, full);
        }
    }

    @Test
    void shouldThrowAndSendNothingAfterwardsWhenTheConnectionBreaksAtAnyCall() {
        for (int calls = 0; calls < 40; calls++) {
            MemoryTransport transport = new MemoryTransport().withStep(3000).breakingAfter(calls);
            SendBuffer buffer = buffer(transport, () -> full++);
            expected.reset();
            try {
                requests(buffer);
                buffer.flush();
            } catch (IOException e) {
                byte[] sent = transport.written();
                buffer.discard();
                assertTrue(sets.unflushed().isEmpty());
                assertEquals(sent.length, transport.written().length);
                continue;
            }
            assertTrue(calls > 30, calls + " calls were enough");
        }
    }

    @Test
    void shouldThrowWhenWhatIsCalledBackThrows() {
        SendBuffer buffer = buffer(new MemoryTransport().withRoom(10), () -> {
            throw new IOException("the job has failed");
        });
        IOException thrown = assertThrows(IOException.class, () -> {
            requests(buffer);
            buffer.flush();
        });
        assertEquals("the job has failed", thrown.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 4096, 20_000, 1 << 20})
    void shouldKeepOrderWhenPayloadIsLeftForLater(int piece) throws IOException {
        MemoryTransport transport = new MemoryTransport();
        SendBuffer buffer = buffer(transport, () -> full++);
        List<String> complete = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String name = "payload " + i;
            buffer.beginDeferring();
            number(buffer, i);
            payload(buffer, large, i * LARGE, LARGE);
            assertTrue(buffer.endDeferring());
            buffer.whenSent(problem -> complete.add(name));
            buffer.postpone();
            assertFalse(sets.deferred().isEmpty());
            number(buffer, -i); // waits behind it, and is not released yet
        }
        assertEquals(0, transport.writes());
        while (buffer.hasDeferred()) {
            assertTrue(buffer.write(piece) > 0);
        }
        assertEquals(List.of("payload 0", "payload 1", "payload 2"), complete);
        assertTrue(sets.deferred().isEmpty());
        buffer.flush();
        assertArrayEquals(expected.toByteArray(), transport.written());
        assertTrue(sets.unflushed().isEmpty());
    }

    @Test
    void shouldSendWhatWasLeftForLaterWhenItFlushes() throws IOException {
        MemoryTransport transport = new MemoryTransport().withStep(333);
        SendBuffer buffer = buffer(transport, () -> full++);
        buffer.beginDeferring();
        number(buffer, 1);
        payload(buffer, large, 0, LARGE);
        assertTrue(buffer.endDeferring());
        buffer.postpone();
        number(buffer, 2);
        buffer.flush();
        assertArrayEquals(expected.toByteArray(), transport.written());
    }
}
