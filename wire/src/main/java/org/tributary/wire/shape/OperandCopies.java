package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;

/** Copies of what the caller of an operation gives and gets, made while no lock is held. One object a thread. */
final class OperandCopies {
    /** Most bytes at a time; a multiple of every element's size. */
    static final int BYTES = Reducer.TILE_BYTES;
    private static final ThreadLocal<OperandCopies> OF_THREAD = ThreadLocal.withInitial(OperandCopies::new);

    private final MemorySegment source = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);
    private final MemorySegment before = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);

    private OperandCopies() {
    }

    static OperandCopies ofThread() {
        return OF_THREAD.get();
    }

    void source(MemorySegment from, long offset, int bytes) {
        MemorySegment.copy(from, offset, source, 0, bytes);
    }

    MemorySegment source() {
        return source;
    }

    /** Keeps what is there before it is changed. */
    void before(MemorySegment target, long offset, int bytes) {
        MemorySegment.copy(target, offset, before, 0, bytes);
    }

    /** Whether what was there before is what the source begins with. */
    boolean isAsExpected(int bytes) {
        return MemorySegment.mismatch(before, 0, bytes, source, 0, bytes) < 0;
    }

    void copyBefore(MemorySegment result, long offset, int bytes) {
        MemorySegment.copy(before, 0, result, offset, bytes);
    }
}
