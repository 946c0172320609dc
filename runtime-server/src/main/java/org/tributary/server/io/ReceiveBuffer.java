package org.tributary.server.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The one buffer that all connections of a loop read into: what a read brings is dealt with before the next read, so
 * idle connections need no buffer. Owned by the event loop.
 */
public final class ReceiveBuffer {
    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private final UnsafeBuffer codec;
    private final ByteBuf socket;
    private final ByteBuf small;

    public ReceiveBuffer(int capacity, Arena arena) {
        memory = arena.allocate(capacity, 64);
        bytes = memory.asByteBuffer();
        codec = new UnsafeBuffer(memory.asByteBuffer());
        socket = Unpooled.unreleasableBuffer(new FixedByteBuf(memory).clear());
        small = Unpooled.unreleasableBuffer(new FixedByteBuf(memory.asSlice(0,
            Math.min(capacity, KeptRequests.SMALL_BYTES))).clear());
    }

    public MemorySegment memory() {
        return memory;
    }

    /** All of it, for a caller that sets position and limit first. */
    ByteBuffer bytes() {
        return bytes;
    }

    public UnsafeBuffer codec() {
        return codec;
    }

    /** For the next read; the caller never releases it. */
    public ByteBuf toRead() {
        return socket.clear();
    }

    /** For a read that is to bring no more than so many bytes. */
    public ByteBuf toReadAtMost(int bytes) {
        long most = Math.min(bytes, memory.byteSize());
        return Unpooled.unreleasableBuffer(new FixedByteBuf(memory.asSlice(0, most)).clear());
    }

    /** The beginning of it, for a read that is to bring little. */
    public ByteBuf toReadLittle() {
        return small.clear();
    }
}
