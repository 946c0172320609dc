package org.tributary.client.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A temporary buffer that grows to the largest size asked for and stays: steady state allocates nothing. */
final class Scratch {
    private MemorySegment memory = MemorySegment.NULL;

    /** At least that many bytes, with what they held before undefined. */
    MemorySegment atLeast(long bytes) {
        if (memory.byteSize() < bytes) {
            memory = Arena.ofAuto().allocate(Math.max(bytes, 2 * memory.byteSize()), 64);
        }
        return memory;
    }
}
