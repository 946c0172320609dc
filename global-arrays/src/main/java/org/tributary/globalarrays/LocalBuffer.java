package org.tributary.globalarrays;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.wire.shape.ElementType;

/**
 * The caller's memory in a transfer: elements of the array's type in row-major order. Without leading dimensions they
 * lie densely, in the shape of the patch transferred. With leading dimensions, one for each dimension but the first,
 * {@code leading[d - 1]} is the length of dimension {@code d} in the buffer, at least that of the patch; the patch is
 * then a part of a larger local array, as with {@code ld} in the Global Arrays toolkit.
 *
 * <p>A complex element takes two entries of a {@code float[]} or {@code double[]}, real part first. Immutable; the
 * memory itself is shared with the caller, who leaves it alone while a non-blocking transfer is under way.
 */
public final class LocalBuffer {
    private final MemorySegment memory;
    private final Class<?> entries;
    private final long first;
    private final long[] leading;

    private LocalBuffer(MemorySegment memory, Class<?> entries, long first, long[] leading) {
        this.memory = memory;
        this.entries = entries;
        this.first = first;
        this.leading = leading;
    }

    /** Elements in a heap or native segment, from its byte 0. */
    public static LocalBuffer of(MemorySegment memory) {
        return new LocalBuffer(memory, null, 0, null);
    }

    /** Elements of type double or complex double. */
    public static LocalBuffer of(double[] entries) {
        return new LocalBuffer(MemorySegment.ofArray(entries), double.class, 0, null);
    }

    /** Elements of type float or complex float. */
    public static LocalBuffer of(float[] entries) {
        return new LocalBuffer(MemorySegment.ofArray(entries), float.class, 0, null);
    }

    /** Elements of type long. */
    public static LocalBuffer of(long[] entries) {
        return new LocalBuffer(MemorySegment.ofArray(entries), long.class, 0, null);
    }

    /** Elements of type int. */
    public static LocalBuffer of(int[] entries) {
        return new LocalBuffer(MemorySegment.ofArray(entries), int.class, 0, null);
    }

    /** The same memory, the patch beginning at this element of it. */
    public LocalBuffer startingAt(long element) {
        return new LocalBuffer(memory, entries, element, leading);
    }

    /** The same memory as part of a larger local array, with the lengths of all its dimensions but the first. */
    public LocalBuffer leading(long... leadingDimensions) {
        return new LocalBuffer(memory, entries, first, leadingDimensions.clone());
    }

    /** The memory as the caller gave it. */
    MemorySegment memory() {
        return memory;
    }

    /**
     * Byte offset of the first element.
     *
     * @throws ArrayShapeException when no memory has so many bytes
     */
    long offset(String array, ElementType type) {
        try {
            return Math.multiplyExact(first, (long) type.sizeInBytes());
        } catch (ArithmeticException e) {
            throw uncountable(array, "an element of type " + type + " needs", e);
        }
    }

    /**
     * Bytes from an element to the next in each dimension.
     *
     * @throws ArrayShapeException when the entries are of another type, the leading dimensions do not fit the patch, or
     *                             the memory is too short for it
     */
    long[] strides(String array, ElementType type, Patch patch) {
        checkType(array, type);
        if (leading != null && leading.length != patch.dimensions() - 1) {
            throw new ArrayShapeException(array, leading.length + " leading dimensions "
                + Arrays.toString(leading) + " for a patch of " + patch.dimensions()
                + " dimensions: one fewer are needed");
        }
        try {
            return stridesInMemory(array, type, patch);
        } catch (ArithmeticException e) {
            throw uncountable(array, "patch " + patch + " of type " + type + " needs", e);
        }
    }

    private ArrayShapeException uncountable(String array, String what, ArithmeticException e) {
        ArrayShapeException misfit = new ArrayShapeException(array, what + " more bytes than can be counted"
            + (first == 0 ? "" : ", from element " + first + " on")
            + (leading == null ? "" : ", with leading dimensions " + Arrays.toString(leading))
            + ", and the local buffer has " + memory.byteSize());
        misfit.initCause(e);
        return misfit;
    }

    private long[] stridesInMemory(String array, ElementType type, Patch patch) {
        long[] strides = new long[patch.dimensions()];
        long stride = type.sizeInBytes();
        long end = patch.isEmpty() ? 0 : Math.addExact(offset(array, type), stride);
        for (int d = patch.dimensions() - 1; d >= 0; d--) {
            strides[d] = stride;
            if (!patch.isEmpty()) {
                end = Math.addExact(end, Math.multiplyExact(stride, patch.extent(d) - 1));
            }
            if (d > 0) {
                stride = Math.multiplyExact(stride, length(array, patch, d));
            }
        }
        if (first < 0 || end > memory.byteSize()) {
            throw new ArrayShapeException(array, "patch " + patch + " of type " + type + " needs bytes "
                + offset(array, type) + " to " + end + " of the local buffer, which has " + memory.byteSize());
        }
        return strides;
    }

    private long length(String array, Patch patch, int dimension) {
        if (leading == null) {
            return patch.extent(dimension);
        }
        long length = leading[dimension - 1];
        if (length < patch.extent(dimension)) {
            throw new ArrayShapeException(array, "leading dimension " + length + " of the local buffer is less"
                + " than the " + patch.extent(dimension) + " elements of patch " + patch + " in dimension "
                + dimension);
        }
        return length;
    }

    /** Checks that dense elements fit, for transfers of single elements. */
    void checkDense(String array, ElementType type, long elements) {
        checkType(array, type);
        if (leading != null) {
            throw new ArrayShapeException(array, "a list of elements takes no leading dimensions");
        }
        long end;
        try {
            end = Math.addExact(offset(array, type), Math.multiplyExact(elements, (long) type.sizeInBytes()));
        } catch (ArithmeticException e) {
            throw uncountable(array, elements + " elements of type " + type + " need", e);
        }
        if (first < 0 || end > memory.byteSize()) {
            throw new ArrayShapeException(array, elements + " elements of type " + type + " need bytes "
                + offset(array, type) + " to " + end + " of the local buffer, which has " + memory.byteSize());
        }
    }

    private void checkType(String array, ElementType type) {
        Class<?> needed = switch (type) {
            case INT -> int.class;
            case LONG -> long.class;
            case FLOAT, COMPLEX_FLOAT -> float.class;
            case DOUBLE, COMPLEX_DOUBLE -> double.class;
        };
        if (entries != null && entries != needed) {
            throw new ArrayShapeException(array, "its elements of type " + type + " need a " + needed + "[] buffer,"
                + " not a " + entries + "[]");
        }
    }
}
