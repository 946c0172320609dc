package org.tributary.server.io;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.lang.foreign.MemorySegment;

/**
 * Native memory as a Netty buffer that knows its address. Netty's own wrapper asks the JDK for it at every read and
 * write of a socket, which costs an object each time where Netty may not use {@code Unsafe}. Never frees the memory.
 */
class FixedByteBuf extends UnpooledDirectByteBuf {
    private final long address;

    FixedByteBuf(MemorySegment memory) {
        super(UnpooledByteBufAllocator.DEFAULT, memory.asByteBuffer(), Math.toIntExact(memory.byteSize()));
        address = memory.address();
    }

    @Override
    public boolean hasMemoryAddress() {
        return true;
    }

    @Override
    public long memoryAddress() {
        ensureAccessible();
        return address;
    }
}
