package org.tributary.server.io;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A block of native memory seen as what each library wants: a segment for copying, an Agrona buffer for codecs, a Netty
 * buffer for sockets. The Netty buffer is held once for ever; while a socket still sends from it, it is held twice.
 */
public final class ReplyBuffer {
    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private final UnsafeBuffer codec;
    private final ByteBuf socket;
    private final Consumer<ReplyBuffer> whenSent;
    private boolean isAwaited;

    /** Tells {@code whenSent} when its last bytes have left after it was {@linkplain #giveBack given back}. */
    ReplyBuffer(int capacity, Arena arena, Consumer<ReplyBuffer> whenSent) {
        this.memory = arena.allocate(capacity, 64);
        this.bytes = memory.asByteBuffer();
        this.codec = new UnsafeBuffer(memory.asByteBuffer());
        this.socket = new Sent(memory);
        this.whenSent = whenSent;
    }

    /** The memory as sockets send from it; they release it when they are done. */
    private final class Sent extends FixedByteBuf {
        Sent(MemorySegment memory) {
            super(memory);
        }

        @Override
        public boolean release() {
            boolean isGone = super.release();
            released();
            return isGone;
        }

        @Override
        public boolean release(int decrement) {
            boolean isGone = super.release(decrement);
            released();
            return isGone;
        }
    }

    private void released() {
        if (isAwaited && isFree()) {
            isAwaited = false;
            whenSent.accept(this);
        }
    }

    /** Whether it is free already; if not, {@code whenSent} will be told. */
    boolean giveBack() {
        isAwaited = !isFree();
        return !isAwaited;
    }

    MemorySegment memory() {
        return memory;
    }

    /** All of it, for a caller that sets position and limit first. */
    ByteBuffer bytes() {
        return bytes;
    }

    UnsafeBuffer codec() {
        return codec;
    }

    int capacity() {
        return codec.capacity();
    }

    private boolean isFree() {
        return socket.refCnt() == 1;
    }

    /** The bytes from {@code from} to {@code to}, to be written once. */
    public ByteBuf toSend(int from, int to) {
        return socket.retain().setIndex(from, to);
    }
}
