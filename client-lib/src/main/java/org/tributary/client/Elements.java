package org.tributary.client;

import java.lang.foreign.MemorySegment;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.shape.Scale;

/**
 * Global memory as arrays of numbers: transfers between Java arrays and a rank's part, at indexes that count elements
 * of the array's type instead of bytes. All operations are those of {@link GlobalMemory}: a put has not been executed
 * before the next fence, and addresses outside the part throw {@link InvalidAddressException}. Thread-safe.
 *
 * <pre>{@code
 * Elements elements = Elements.of(memory);
 * elements.put(rank, 10, new double[] {1, 2, 3});          // bytes 80 to 103 of the part
 * elements.accumulate(rank, 10, 0.5, new double[] {4, 4}); // 3, 4, 3
 * }</pre>
 */
public final class Elements {
    private final GlobalMemory memory;

    private Elements(GlobalMemory memory) {
        this.memory = memory;
    }

    /** The same memory. */
    public static Elements of(GlobalMemory memory) {
        return new Elements(memory);
    }

    /** Writes a whole array from an index on. */
    public void put(int rank, long index, double[] source) {
        put(rank, index, source, 0, source.length);
    }

    /** Writes {@code count} elements of an array. */
    public void put(int rank, long index, double[] source, int from, int count) {
        memory.put(rank, bytes(index, Double.BYTES), MemorySegment.ofArray(source), bytes(from, Double.BYTES),
            bytes(count, Double.BYTES));
    }

    /** Reads as many elements as an array has. */
    public void get(int rank, long index, double[] target) {
        get(rank, index, target, 0, target.length);
    }

    /** Reads {@code count} elements into an array. */
    public void get(int rank, long index, double[] target, int from, int count) {
        memory.get(rank, bytes(index, Double.BYTES), MemorySegment.ofArray(target), bytes(from, Double.BYTES),
            bytes(count, Double.BYTES));
    }

    /** Adds {@code factor} times an array, element by element. */
    public void accumulate(int rank, long index, double factor, double[] source) {
        memory.accumulate(rank, bytes(index, Double.BYTES), Scale.ofDouble(factor), MemorySegment.ofArray(source), 0,
            bytes(source.length, Double.BYTES));
    }

    /** Writes a whole array from an index on. */
    public void put(int rank, long index, float[] source) {
        put(rank, index, source, 0, source.length);
    }

    /** Writes {@code count} elements of an array. */
    public void put(int rank, long index, float[] source, int from, int count) {
        memory.put(rank, bytes(index, Float.BYTES), MemorySegment.ofArray(source), bytes(from, Float.BYTES),
            bytes(count, Float.BYTES));
    }

    /** Reads as many elements as an array has. */
    public void get(int rank, long index, float[] target) {
        get(rank, index, target, 0, target.length);
    }

    /** Reads {@code count} elements into an array. */
    public void get(int rank, long index, float[] target, int from, int count) {
        memory.get(rank, bytes(index, Float.BYTES), MemorySegment.ofArray(target), bytes(from, Float.BYTES),
            bytes(count, Float.BYTES));
    }

    /** Adds {@code factor} times an array, element by element. */
    public void accumulate(int rank, long index, float factor, float[] source) {
        memory.accumulate(rank, bytes(index, Float.BYTES), Scale.ofFloat(factor), MemorySegment.ofArray(source), 0,
            bytes(source.length, Float.BYTES));
    }

    /** Writes a whole array from an index on. */
    public void put(int rank, long index, long[] source) {
        put(rank, index, source, 0, source.length);
    }

    /** Writes {@code count} elements of an array. */
    public void put(int rank, long index, long[] source, int from, int count) {
        memory.put(rank, bytes(index, Long.BYTES), MemorySegment.ofArray(source), bytes(from, Long.BYTES),
            bytes(count, Long.BYTES));
    }

    /** Reads as many elements as an array has. */
    public void get(int rank, long index, long[] target) {
        get(rank, index, target, 0, target.length);
    }

    /** Reads {@code count} elements into an array. */
    public void get(int rank, long index, long[] target, int from, int count) {
        memory.get(rank, bytes(index, Long.BYTES), MemorySegment.ofArray(target), bytes(from, Long.BYTES),
            bytes(count, Long.BYTES));
    }

    /** Adds {@code factor} times an array, element by element. */
    public void accumulate(int rank, long index, long factor, long[] source) {
        memory.accumulate(rank, bytes(index, Long.BYTES), Scale.ofLong(factor), MemorySegment.ofArray(source), 0,
            bytes(source.length, Long.BYTES));
    }

    /** Writes a whole array from an index on. */
    public void put(int rank, long index, int[] source) {
        put(rank, index, source, 0, source.length);
    }

    /** Writes {@code count} elements of an array. */
    public void put(int rank, long index, int[] source, int from, int count) {
        memory.put(rank, bytes(index, Integer.BYTES), MemorySegment.ofArray(source), bytes(from, Integer.BYTES),
            bytes(count, Integer.BYTES));
    }

    /** Reads as many elements as an array has. */
    public void get(int rank, long index, int[] target) {
        get(rank, index, target, 0, target.length);
    }

    /** Reads {@code count} elements into an array. */
    public void get(int rank, long index, int[] target, int from, int count) {
        memory.get(rank, bytes(index, Integer.BYTES), MemorySegment.ofArray(target), bytes(from, Integer.BYTES),
            bytes(count, Integer.BYTES));
    }

    /** Adds {@code factor} times an array, element by element. */
    public void accumulate(int rank, long index, int factor, int[] source) {
        memory.accumulate(rank, bytes(index, Integer.BYTES), Scale.ofInt(factor), MemorySegment.ofArray(source), 0,
            bytes(source.length, Integer.BYTES));
    }

    /** An index that no memory has stays one that no memory has. */
    private static long bytes(long elements, int size) {
        return elements > Long.MAX_VALUE / size ? Long.MAX_VALUE : elements < 0 ? -1 : elements * size;
    }
}
