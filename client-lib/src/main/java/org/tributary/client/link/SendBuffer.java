package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.shape.StridedRegion;

/**
 * Requests on their way into one socket. Small ones gather here until they are flushed or the buffer is full; large
 * contiguous payload goes to the socket from where it lies. When the socket takes no more, {@link Blocked} is called
 * until it does, so that answers are read meanwhile and neither side waits for the other for ever.
 */
final class SendBuffer {
    /** What to do while the socket takes nothing. */
    interface Blocked {
        void socketFull() throws IOException;
    }

    /** From this size on, payload is sent from where it lies. */
    static final int DIRECT_BYTES = 16 * 1024;
    /** Megabytes in one call make the sender do the kernel's work of the whole transfer: pieces flow faster. */
    private static final int MAX_WRITE = 512 << 10;
    private static final ValueLayout.OfLong LONG =
        ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final SocketChannel channel;
    private final Blocked blocked;
    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private final UnsafeBuffer codec;
    private final ByteBuffer[] gathered = new ByteBuffer[2];
    private int position;

    SendBuffer(SocketChannel channel, int capacity, Arena arena, Blocked blocked) {
        this.channel = channel;
        this.blocked = blocked;
        this.memory = arena.allocate(capacity, 64);
        this.bytes = memory.asByteBuffer();
        this.codec = new UnsafeBuffer(bytes);
    }

    UnsafeBuffer codec() {
        return codec;
    }

    int position() {
        return position;
    }

    int capacity() {
        return codec.capacity();
    }

    int room() {
        return codec.capacity() - position;
    }

    /** Makes room for that many bytes, which are fewer than the capacity. */
    void ensure(int length) throws IOException {
        if (room() < length) {
            flush();
        }
    }

    /** Claims bytes that have been or will be encoded at the returned position. */
    int claim(int length) {
        int at = position;
        position += length;
        return at;
    }

    void putLong(long value) {
        memory.set(LONG, position, value);
        position += Long.BYTES;
    }

    void putInt(int value) {
        memory.set(INT, position, value);
        position += Integer.BYTES;
    }

    /** Appends bytes that fit. */
    void copy(MemorySegment source, long offset, int length) {
        MemorySegment.copy(source, offset, memory, position, length);
        position += length;
    }

    /** Appends payload of any size. */
    void payload(MemorySegment source, long offset, long length) throws IOException {
        if (length >= DIRECT_BYTES && source.isNative()) {
            writeDirectly(source, offset, length);
            return;
        }
        long from = offset;
        long left = length;
        while (left > 0) {
            if (room() == 0) {
                flush();
            }
            int piece = (int) Math.min(room(), left);
            copy(source, from, piece);
            from += piece;
            left -= piece;
        }
    }

    /** Appends all that remains of a region. */
    void payload(StridedRegion source) throws IOException {
        if (source.isContiguous()) {
            payload(source.memory(), source.position(), source.remaining());
            return;
        }
        while (source.remaining() > 0) {
            if (room() == 0) {
                flush();
            }
            int piece = (int) Math.min(room(), source.remaining());
            source.gather(memory, position, piece);
            position += piece;
        }
    }

    private void writeDirectly(MemorySegment source, long offset, long length) throws IOException {
        long from = offset;
        long left = length;
        while (left > 0) {
            long piece = Math.min(left, MAX_WRITE);
            gathered[0] = bytes.limit(position).position(0);
            gathered[1] = source.asSlice(from, piece).asByteBuffer();
            while (gathered[1].hasRemaining()) {
                if (channel.write(gathered) == 0) {
                    blocked.socketFull();
                }
            }
            gathered[1] = null;
            position = 0;
            from += piece;
            left -= piece;
        }
    }

    /** Hands everything to the kernel. */
    void flush() throws IOException {
        if (position == 0) {
            return;
        }
        bytes.limit(position).position(0);
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                blocked.socketFull();
            }
        }
        position = 0;
    }
}
