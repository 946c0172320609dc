package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

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
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private final int[] ints = new int[TILE_BYTES / 4];
    private final int[] intInputs = new int[TILE_BYTES / 4];
    private final long[] longs = new long[TILE_BYTES / 8];
    private final long[] longInputs = new long[TILE_BYTES / 8];
    private final float[] floats = new float[TILE_BYTES / 4];
    private final float[] floatInputs = new float[TILE_BYTES / 4];
    private final double[] doubles = new double[TILE_BYTES / 8];
    private final double[] doubleInputs = new double[TILE_BYTES / 8];

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
            case INT -> MemorySegment.copy(input, INT, from, intInputs, 0, n);
            case LONG -> MemorySegment.copy(input, LONG, from, longInputs, 0, n);
            case FLOAT, COMPLEX_FLOAT -> MemorySegment.copy(input, FLOAT, from, floatInputs, 0, n);
            case DOUBLE, COMPLEX_DOUBLE -> MemorySegment.copy(input, DOUBLE, from, doubleInputs, 0, n);
        }
    }

    /** Scales what was staged last. A real scale works by components, and infinities stay what they are. */
    void scaleStaged(ElementType type, long re, long im, int bytes) {
        int n = bytes / type.componentBytes();
        switch (type) {
            case INT -> Kernels.scale(intInputs, (int) re, n);
            case LONG -> Kernels.scale(longInputs, re, n);
            case FLOAT, COMPLEX_FLOAT -> {
                float imaginary = type == ElementType.FLOAT ? 0 : Float.intBitsToFloat((int) im);
                if (imaginary == 0) {
                    Kernels.scale(floatInputs, Float.intBitsToFloat((int) re), n);
                } else {
                    Kernels.scaleComplex(floatInputs, Float.intBitsToFloat((int) re), imaginary, n);
                }
            }
            case DOUBLE, COMPLEX_DOUBLE -> {
                double imaginary = type == ElementType.DOUBLE ? 0 : Double.longBitsToDouble(im);
                if (imaginary == 0) {
                    Kernels.scale(doubleInputs, Double.longBitsToDouble(re), n);
                } else {
                    Kernels.scaleComplex(doubleInputs, Double.longBitsToDouble(re), imaginary, n);
                }
            }
        }
    }

    /** Combines elements in memory with what was staged last. */
    void combineStaged(ReduceOp op, ElementType type, MemorySegment accumulator, long at, int bytes) {
        int n = bytes / type.componentBytes();
        if (op == ReduceOp.REPLACE) {
            storeStaged(type, accumulator, at, n);
        } else if (op != ReduceOp.NO_OP) {
            switch (type) {
                case INT -> combineInts(op, accumulator, at, n);
                case LONG -> combineLongs(op, accumulator, at, n);
                case FLOAT -> combineFloats(op, false, accumulator, at, n);
                case DOUBLE -> combineDoubles(op, false, accumulator, at, n);
                case COMPLEX_FLOAT -> combineFloats(op, true, accumulator, at, n);
                case COMPLEX_DOUBLE -> combineDoubles(op, true, accumulator, at, n);
            }
        }
    }

    private void storeStaged(ElementType type, MemorySegment accumulator, long at, int n) {
        switch (type) {
            case INT -> MemorySegment.copy(intInputs, 0, accumulator, INT, at, n);
            case LONG -> MemorySegment.copy(longInputs, 0, accumulator, LONG, at, n);
            case FLOAT, COMPLEX_FLOAT -> MemorySegment.copy(floatInputs, 0, accumulator, FLOAT, at, n);
            case DOUBLE, COMPLEX_DOUBLE -> MemorySegment.copy(doubleInputs, 0, accumulator, DOUBLE, at, n);
        }
    }

    private void combineInts(ReduceOp op, MemorySegment accumulator, long at, int n) {
        MemorySegment.copy(accumulator, INT, at, ints, 0, n);
        switch (op) {
            case SUM -> Kernels.sum(ints, intInputs, n);
            case PRODUCT -> Kernels.multiply(ints, intInputs, n);
            case MIN -> Kernels.min(ints, intInputs, n);
            case MAX -> Kernels.max(ints, intInputs, n);
            case LOGICAL_AND -> Kernels.logicalAnd(ints, intInputs, n);
            case LOGICAL_OR -> Kernels.logicalOr(ints, intInputs, n);
            case LOGICAL_XOR -> Kernels.logicalXor(ints, intInputs, n);
            case BITWISE_AND -> Kernels.and(ints, intInputs, n);
            case BITWISE_OR -> Kernels.or(ints, intInputs, n);
            case BITWISE_XOR -> Kernels.xor(ints, intInputs, n);
            default -> throw undefined(op, ElementType.INT);
        }
        MemorySegment.copy(ints, 0, accumulator, INT, at, n);
    }

    private void combineLongs(ReduceOp op, MemorySegment accumulator, long at, int n) {
        MemorySegment.copy(accumulator, LONG, at, longs, 0, n);
        switch (op) {
            case SUM -> Kernels.sum(longs, longInputs, n);
            case PRODUCT -> Kernels.multiply(longs, longInputs, n);
            case MIN -> Kernels.min(longs, longInputs, n);
            case MAX -> Kernels.max(longs, longInputs, n);
            case LOGICAL_AND -> Kernels.logicalAnd(longs, longInputs, n);
            case LOGICAL_OR -> Kernels.logicalOr(longs, longInputs, n);
            case LOGICAL_XOR -> Kernels.logicalXor(longs, longInputs, n);
            case BITWISE_AND -> Kernels.and(longs, longInputs, n);
            case BITWISE_OR -> Kernels.or(longs, longInputs, n);
            case BITWISE_XOR -> Kernels.xor(longs, longInputs, n);
            default -> throw undefined(op, ElementType.LONG);
        }
        MemorySegment.copy(longs, 0, accumulator, LONG, at, n);
    }

    private void combineFloats(ReduceOp op, boolean complex, MemorySegment accumulator, long at, int n) {
        MemorySegment.copy(accumulator, FLOAT, at, floats, 0, n);
        switch (op) {
            case SUM -> Kernels.sum(floats, floatInputs, n);
            case PRODUCT -> {
                if (complex) {
                    Kernels.multiplyComplex(floats, floatInputs, n / 2);
                } else {
                    Kernels.multiply(floats, floatInputs, n);
                }
            }
            case MIN -> Kernels.min(floats, floatInputs, n);
            case MAX -> Kernels.max(floats, floatInputs, n);
            default -> throw undefined(op, ElementType.FLOAT);
        }
        MemorySegment.copy(floats, 0, accumulator, FLOAT, at, n);
    }

    private void combineDoubles(ReduceOp op, boolean complex, MemorySegment accumulator, long at, int n) {
        MemorySegment.copy(accumulator, DOUBLE, at, doubles, 0, n);
        switch (op) {
            case SUM -> Kernels.sum(doubles, doubleInputs, n);
            case PRODUCT -> {
                if (complex) {
                    Kernels.multiplyComplex(doubles, doubleInputs, n / 2);
                } else {
                    Kernels.multiply(doubles, doubleInputs, n);
                }
            }
            case MIN -> Kernels.min(doubles, doubleInputs, n);
            case MAX -> Kernels.max(doubles, doubleInputs, n);
            default -> throw undefined(op, ElementType.DOUBLE);
        }
        MemorySegment.copy(doubles, 0, accumulator, DOUBLE, at, n);
    }

    /** Thrown before anything has been stored; callers that check first never see it. */
    private static IllegalArgumentException undefined(ReduceOp op, ElementType type) {
        return new IllegalArgumentException(op + " is not defined for " + type);
    }
}
