package org.tributary.wire.stress;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** Zeroed native memory for the many short-lived states of a stress test, reused in turn. */
final class Blocks {
    private static final int BLOCK_BYTES = 320;
    /** More than the states that jcstress keeps alive at once, so that no block has two owners. */
    private static final int BLOCKS = 1 << 17;
    private static final MemorySegment MEMORY = Arena.global().allocate((long) BLOCKS * BLOCK_BYTES, 64);
    private static final AtomicLong NEXT = new AtomicLong();

    private Blocks() {
    }

    /** 320 bytes of zeros on cache lines of their own. */
    static MemorySegment take() {
        long index = NEXT.getAndIncrement() % BLOCKS;
        return MEMORY.asSlice(index * BLOCK_BYTES, BLOCK_BYTES).fill((byte) 0);
    }
}
