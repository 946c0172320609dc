package org.tributary.wire.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The core that a thread runs on (sched_setaffinity(2)). Linux places a thread that is woken on the core of the thread
 * that woke it or on its own last one; when half of the cores of a small machine are busy it does not look for an idle
 * one. So two threads that wake each other may share a core for long while another is idle.
 */
public final class Core {
    /** Room for 8,192 cores. */
    private static final int MASK_BYTES = 1024;

    private final MemorySegment allowed;
    private final MemorySegment others;

    /** For use by one thread at a time; the memory is freed with the arena. */
    public Core(Arena arena) {
        allowed = arena.allocate(MASK_BYTES, Long.BYTES);
        others = arena.allocate(MASK_BYTES, Long.BYTES);
    }

    /**
     * Moves the calling thread to another of the cores that it may run on; where it goes from there is the kernel's.
     *
     * @return false when there is no other, or the system does not tell
     */
    public boolean moveToAnother() {
        int core = SystemCalls.currentCore();
        if (core < 0 || core >= MASK_BYTES * Byte.SIZE || !SystemCalls.affinity(allowed)) {
            return false;
        }
        others.copyFrom(allowed);
        int word = core / Long.SIZE * Long.BYTES;
        others.set(ValueLayout.JAVA_LONG, word, others.get(ValueLayout.JAVA_LONG, word) & ~(1L << core));
        if (!SystemCalls.setAffinity(others)) {
            return false; // no core is left in it
        }
        SystemCalls.setAffinity(allowed);
        return true;
    }
}
