package org.tributary.globalarrays;

import java.lang.foreign.MemorySegment;
import org.tributary.client.GlobalMemory;
import org.tributary.client.shape.Scale;
import org.tributary.wire.shape.ElementType;

/** Single elements: by the operations on one value where there are such, complex double ones as two. */
final class ElementAccess {
    private ElementAccess() {
    }

    /** Reads an element of a rank at a byte offset. */
    static Scalar get(GlobalMemory memory, int rank, long offset, ElementType type) {
        return switch (type) {
            case INT -> Scalar.of((long) memory.getInt(rank, offset));
            case LONG -> Scalar.of(memory.getLong(rank, offset));
            case FLOAT -> Scalar.of((double) memory.getFloat(rank, offset));
            case DOUBLE -> Scalar.of(memory.getDouble(rank, offset));
            case COMPLEX_FLOAT -> {
                float[] pair = new float[2];
                memory.get(rank, offset, MemorySegment.ofArray(pair));
                yield Scalar.of(pair[0], pair[1]);
            }
            case COMPLEX_DOUBLE -> {
                double[] pair = new double[2];
                memory.get(rank, offset, MemorySegment.ofArray(pair));
                yield Scalar.of(pair[0], pair[1]);
            }
        };
    }

    /** Writes an element of a rank at a byte offset. */
    static void put(GlobalMemory memory, int rank, long offset, Scale value) {
        switch (value.type()) {
            case INT -> memory.putInt(rank, offset, (int) value.re());
            case LONG -> memory.putLong(rank, offset, value.re());
            case FLOAT -> memory.putFloat(rank, offset, Float.intBitsToFloat((int) value.re()));
            case DOUBLE -> memory.putDouble(rank, offset, Double.longBitsToDouble(value.re()));
            case COMPLEX_FLOAT -> memory.put(rank, offset, MemorySegment.ofArray(
                new int[] {(int) value.re(), (int) value.im()}));
            case COMPLEX_DOUBLE -> memory.put(rank, offset, MemorySegment.ofArray(
                new long[] {value.re(), value.im()}));
        }
    }
}
