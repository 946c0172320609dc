package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;

/**
 * Elementwise combination of vectors in memory, in two steps: the input is staged, and scaled, which may wait for its
 * memory or fail, then it is combined, which does neither. Every operation but {@link ReduceOp#REPLACE} and
 * {@link ReduceOp#NO_OP} is commutative to the bit (NaN payloads apart), so two ranks that combine the same two
 * operands agree, whichever of them holds which.
 *
 * <p>Operands go through arrays, a tile that fits the first-level cache at a time. Loops over the segments themselves
 * lose a factor of ten as soon as a program reduces in more than one kind of segment (heap, native, mapped; confined,
 * shared), as each kind adds a case to every access: 1.5 GB/s of float sums, where tiles keep to the speed of copies.
 *
 * <p>Not thread-safe: one for each user, or thread, allocated once.
 */
public final class Reducer {
    /** Bytes that go through the arrays at a time; a multiple of every element's size. */
    public static final int TILE_BYTES = 8192;
    private static final ThreadLocal<Reducer> OF_THREAD = ThreadLocal.withInitial(Reducer::new);

    private final IntTile ints = new IntTile();
    private final LongTile longs = new LongTile();
    private final FloatTile floats = new FloatTile();
    private final DoubleTile doubles = new DoubleTile();

    static Reducer ofThread() {
        return OF_THREAD.get();
    }

    /**
     * {@code accumulator = accumulator op input} over whole elements.
     *
     * @param op    an operation that {@linkplain ReduceOp#isDefinedFor is defined} for the type
     * @param bytes length of both, a multiple of the element's size
     */
    public void combine(ReduceOp op, ElementType type, MemorySegment accumulator, long at, MemorySegment input,
        long from, long bytes) {
        for (long done = 0; done < bytes; done += TILE_BYTES) {
            int length = (int) Math.min(bytes - done, TILE_BYTES);
            stage(type, input, from + done, length);
            combineStaged(op, type, accumulator, at + done, length);
        }
    }

    /** Reads whole elements of the input, at most {@link #TILE_BYTES}. */
    void stage(ElementType type, MemorySegment input, long from, int bytes) {
        int n = bytes / type.componentBytes();
        switch (type) {
            case INT -> ints.stage(input, from, n);
            case LONG -> longs.stage(input, from, n);
            case FLOAT, COMPLEX_FLOAT -> floats.stage(input, from, n);
            case DOUBLE, COMPLEX_DOUBLE -> doubles.stage(input, from, n);
        }
    }

    /** Scales what was staged last. A real scale works by components, and infinities stay what they are. */
    void scaleStaged(ElementType type, long re, long im, int bytes) {
        int n = bytes / type.componentBytes();
        switch (type) {
            case INT -> ints.scale((int) re, n);
            case LONG -> longs.scale(re, n);
            case FLOAT, COMPLEX_FLOAT -> {
                float imaginary = type == ElementType.FLOAT ? 0 : Float.intBitsToFloat((int) im);
                if (imaginary == 0) {
                    floats.scale(Float.intBitsToFloat((int) re), n);
                } else {
                    floats.scaleComplex(Float.intBitsToFloat((int) re), imaginary, n);
                }
            }
            case DOUBLE, COMPLEX_DOUBLE -> {
                double imaginary = type == ElementType.DOUBLE ? 0 : Double.longBitsToDouble(im);
                if (imaginary == 0) {
                    doubles.scale(Double.longBitsToDouble(re), n);
                } else {
                    doubles.scaleComplex(Double.longBitsToDouble(re), imaginary, n);
                }
            }
        }
    }

    /**
     * Combines elements in memory with what was staged last. Throws IllegalArgumentException before anything is stored
     * when the operation is not defined; callers that check first never see it.
     */
    void combineStaged(ReduceOp op, ElementType type, MemorySegment accumulator, long at, int bytes) {
        int n = bytes / type.componentBytes();
        if (op == ReduceOp.REPLACE) {
            storeStaged(type, accumulator, at, n);
        } else if (op != ReduceOp.NO_OP) {
            switch (type) {
                case INT -> ints.combine(op, false, accumulator, at, n);
                case LONG -> longs.combine(op, false, accumulator, at, n);
                case FLOAT -> floats.combine(op, false, accumulator, at, n);
                case DOUBLE -> doubles.combine(op, false, accumulator, at, n);
                case COMPLEX_FLOAT -> floats.combine(op, true, accumulator, at, n);
                case COMPLEX_DOUBLE -> doubles.combine(op, true, accumulator, at, n);
            }
        }
    }

    private void storeStaged(ElementType type, MemorySegment accumulator, long at, int n) {
        switch (type) {
            case INT -> ints.store(accumulator, at, n);
            case LONG -> longs.store(accumulator, at, n);
            case FLOAT, COMPLEX_FLOAT -> floats.store(accumulator, at, n);
            case DOUBLE, COMPLEX_DOUBLE -> doubles.store(accumulator, at, n);
        }
    }
}
