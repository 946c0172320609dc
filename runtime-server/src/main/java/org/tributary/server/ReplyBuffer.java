package org.tributary.server;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A block of native memory seen as what each library wants: a segment for copying, an Agrona buffer for codecs, a Netty
 * buffer for sockets. The Netty buffer is held once for ever; while a socket still sends from it, it is held twice.
 */
final class ReplyBuffer {
    private final MemorySegment memory;
    private final UnsafeBuffer codec;
    private final ByteBuf socket;

    ReplyBuffer(int capacity, Arena arena) {
        memory = arena.allocate(capacity, 64);
        codec = new UnsafeBuffer(memory.asByteBuffer());
        socket = new FixedByteBuf(memory);
    }

    MemorySegment memory() {
        return memory;
    }

    UnsafeBuffer codec() {
        return codec;
    }

    int capacity() {
        return codec.capacity();
    }

    boolean isFree() {
        return socket.refCnt() == 1;
    }

    /** The bytes from {@code from} to {@code to}, to be written once. */
    ByteBuf toSend(int from, int to) {
        return socket.retain().setIndex(from, to);
    }
}
