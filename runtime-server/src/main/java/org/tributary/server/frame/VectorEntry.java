package org.tributary.server.frame;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The entry before each range of a vector message: offset (int64) and length (int32). */
public final class VectorEntry {
    private static final ValueLayout.OfLong OFFSET =
        ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt LENGTH =
        ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private VectorEntry() {
    }

    public static long offset(MemorySegment memory, long at) {
        return memory.get(OFFSET, at);
    }

    public static int length(MemorySegment memory, long at) {
        return memory.get(LENGTH, at + Long.BYTES);
    }
}
