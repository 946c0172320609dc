package org.tributary.client.window;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * A window as arrays of numbers: operations between Java arrays and a rank's part, at indexes that count elements of
 * the array's type from the part's beginning, whatever the unit of displacement. All operations are those of
 * {@link Window}: arrays must stay as they are, and results are there, when the epoch has ended or after a flush.
 * Addresses outside the window throw {@link org.tributary.client.error.InvalidAddressException}, elements that begin
 * within a unit of displacement {@link IllegalArgumentException}. One thread at a time.
 *
 * <pre>{@code
 * WindowElements elements = WindowElements.of(window);
 * window.lock(LockMode.SHARED, rank);
 * elements.put(rank, 10, new double[] {1, 2, 3});                  // bytes 80 to 103 of the part
 * elements.accumulate(rank, 20, ReduceOp.MAX, new double[] {4, 4});
 * window.unlock(rank);
 * }</pre>
 */
public final class WindowElements {
    private final Window window;

    private WindowElements(Window window) {
        this.window = window;
    }

    /** The same window. */
    public static WindowElements of(Window window) {
        return new WindowElements(window);
    }

    /** Puts a whole array from an index on. */
    public void put(int rank, long index, double[] source) {
        put(rank, index, source, 0, source.length);
    }

    /** Puts {@code count} elements of an array. */
    public void put(int rank, long index, double[] source, int from, int count) {
        window.put(rank, displacement(rank, index, Double.BYTES), MemorySegment.ofArray(source),
            bytes(from, Double.BYTES), bytes(count, Double.BYTES));
    }

    /** Gets as many elements as an array has. */
    public void get(int rank, long index, double[] target) {
        get(rank, index, target, 0, target.length);
    }

    /** Gets {@code count} elements into an array. */
    public void get(int rank, long index, double[] target, int from, int count) {
        window.get(rank, displacement(rank, index, Double.BYTES), MemorySegment.ofArray(target),
            bytes(from, Double.BYTES), bytes(count, Double.BYTES));
    }

    /** Combines a whole array with what is there, element by element. */
    public void accumulate(int rank, long index, ReduceOp op, double[] source) {
        window.accumulate(rank, displacement(rank, index, Double.BYTES), op, ElementType.DOUBLE,
            MemorySegment.ofArray(source), 0, bytes(source.length, Double.BYTES));
    }

    /** Combines a whole array with what is there, and gets what was there before into an array of that length. */
    public void getAccumulate(int rank, long index, ReduceOp op, double[] source, double[] before) {
        window.getAccumulate(rank, displacement(rank, index, Double.BYTES), op, ElementType.DOUBLE,
            MemorySegment.ofArray(source), 0, MemorySegment.ofArray(before), 0, bytes(source.length, Double.BYTES));
    }

    /** Puts a whole array from an index on. */
    public void put(int rank, long index, float[] source) {
        put(rank, index, source, 0, source.length);
    }

    /** Puts {@code count} elements of an array. */
    public void put(int rank, long index, float[] source, int from, int count) {
        window.put(rank, displacement(rank, index, Float.BYTES), MemorySegment.ofArray(source),
            bytes(from, Float.BYTES), bytes(count, Float.BYTES));
    }

    /** Gets as many elements as an array has. */
    public void get(int rank, long index, float[] target) {
        get(rank, index, target, 0, target.length);
    }

    /** Gets {@code count} elements into an array. */
    public void get(int rank, long index, float[] target, int from, int count) {
        window.get(rank, displacement(rank, index, Float.BYTES), MemorySegment.ofArray(target),
            bytes(from, Float.BYTES), bytes(count, Float.BYTES));
    }

    /** Combines a whole array with what is there, element by element. */
    public void accumulate(int rank, long index, ReduceOp op, float[] source) {
        window.accumulate(rank, displacement(rank, index, Float.BYTES), op, ElementType.FLOAT,
            MemorySegment.ofArray(source), 0, bytes(source.length, Float.BYTES));
    }

    /** Combines a whole array with what is there, and gets what was there before into an array of that length. */
    public void getAccumulate(int rank, long index, ReduceOp op, float[] source, float[] before) {
        window.getAccumulate(rank, displacement(rank, index, Float.BYTES), op, ElementType.FLOAT,
            MemorySegment.ofArray(source), 0, MemorySegment.ofArray(before), 0, bytes(source.length, Float.BYTES));
    }

    /** Puts a whole array from an index on. */
    public void put(int rank, long index, long[] source) {
        put(rank, index, source, 0, source.length);
    }

    /** Puts {@code count} elements of an array. */
    public void put(int rank, long index, long[] source, int from, int count) {
        window.put(rank, displacement(rank, index, Long.BYTES), MemorySegment.ofArray(source),
            bytes(from, Long.BYTES), bytes(count, Long.BYTES));
    }

    /** Gets as many elements as an array has. */
    public void get(int rank, long index, long[] target) {
        get(rank, index, target, 0, target.length);
    }

    /** Gets {@code count} elements into an array. */
    public void get(int rank, long index, long[] target, int from, int count) {
        window.get(rank, displacement(rank, index, Long.BYTES), MemorySegment.ofArray(target),
            bytes(from, Long.BYTES), bytes(count, Long.BYTES));
    }

    /** Combines a whole array with what is there, element by element. */
    public void accumulate(int rank, long index, ReduceOp op, long[] source) {
        window.accumulate(rank, displacement(rank, index, Long.BYTES), op, ElementType.LONG,
            MemorySegment.ofArray(source), 0, bytes(source.length, Long.BYTES));
    }

    /** Combines a whole array with what is there, and gets what was there before into an array of that length. */
    public void getAccumulate(int rank, long index, ReduceOp op, long[] source, long[] before) {
        window.getAccumulate(rank, displacement(rank, index, Long.BYTES), op, ElementType.LONG,
            MemorySegment.ofArray(source), 0, MemorySegment.ofArray(before), 0, bytes(source.length, Long.BYTES));
    }

    /** Puts a whole array from an index on. */
    public void put(int rank, long index, int[] source) {
        put(rank, index, source, 0, source.length);
    }

    /** Puts {@code count} elements of an array. */
    public void put(int rank, long index, int[] source, int from, int count) {
        window.put(rank, displacement(rank, index, Integer.BYTES), MemorySegment.ofArray(source),
            bytes(from, Integer.BYTES), bytes(count, Integer.BYTES));
    }

    /** Gets as many elements as an array has. */
    public void get(int rank, long index, int[] target) {
        get(rank, index, target, 0, target.length);
    }

    /** Gets {@code count} elements into an array. */
    public void get(int rank, long index, int[] target, int from, int count) {
        window.get(rank, displacement(rank, index, Integer.BYTES), MemorySegment.ofArray(target),
            bytes(from, Integer.BYTES), bytes(count, Integer.BYTES));
    }

    /** Combines a whole array with what is there, element by element. */
    public void accumulate(int rank, long index, ReduceOp op, int[] source) {
        window.accumulate(rank, displacement(rank, index, Integer.BYTES), op, ElementType.INT,
            MemorySegment.ofArray(source), 0, bytes(source.length, Integer.BYTES));
    }

    /** Combines a whole array with what is there, and gets what was there before into an array of that length. */
    public void getAccumulate(int rank, long index, ReduceOp op, int[] source, int[] before) {
        window.getAccumulate(rank, displacement(rank, index, Integer.BYTES), op, ElementType.INT,
            MemorySegment.ofArray(source), 0, MemorySegment.ofArray(before), 0, bytes(source.length, Integer.BYTES));
    }

    /** Replaces one element if it is the expected one; what was there before becomes the first of an array. */
    public void compareAndSwap(int rank, long index, long expected, long replacement, long[] before) {
        window.compareAndSwap(rank, displacement(rank, index, Long.BYTES), ElementType.LONG,
            MemorySegment.ofArray(new long[] {expected}), MemorySegment.ofArray(new long[] {replacement}),
            MemorySegment.ofArray(before));
    }

    /** Replaces one element if it is the expected one; what was there before becomes the first of an array. */
    public void compareAndSwap(int rank, long index, int expected, int replacement, int[] before) {
        window.compareAndSwap(rank, displacement(rank, index, Integer.BYTES), ElementType.INT,
            MemorySegment.ofArray(new int[] {expected}), MemorySegment.ofArray(new int[] {replacement}),
            MemorySegment.ofArray(before));
    }

    /** In units of the rank; an index that no window has stays one that no window has. */
    private long displacement(int rank, long index, int size) {
        int unit = window.displacementUnit(rank);
        long offset = bytes(index, size);
        if (offset >= 0 && offset % unit != 0 && offset < Long.MAX_VALUE) {
            throw new IllegalArgumentException(window.name() + ": element " + index + " of " + size
                + " bytes begins within a unit of displacement of rank " + rank + ", which has " + unit + " bytes");
        }
        return Math.floorDiv(offset, unit);
    }

    private static long bytes(long elements, int size) {
        return elements > Long.MAX_VALUE / size ? Long.MAX_VALUE : elements < 0 ? -1 : elements * size;
    }
}
