package org.tributary.client.shape;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Checks of the caller's own buffers. */
public final class Buffers {
    private Buffers() {
    }

    public static void checkSource(MemorySegment buffer, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, buffer.byteSize());
        if (!buffer.scope().isAlive() || !buffer.isAccessibleBy(Thread.currentThread())) {
            throw new IllegalStateException("the buffer is closed or belongs to another thread");
        }
    }

    public static void checkTarget(MemorySegment buffer, long offset, long length) {
        checkSource(buffer, offset, length);
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("the buffer is read-only");
        }
    }
}
