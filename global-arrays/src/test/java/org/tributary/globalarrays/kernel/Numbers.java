package org.tributary.globalarrays.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.tributary.client.shape.Scale;
import org.tributary.wire.shape.ElementType;

/** Reads and writes elements of any type as complex numbers, for the serial models. */
public final class Numbers {
    private Numbers() {
    }

    /** Small numbers with few digits: exact in every type, with exact short sums of products. */
    public static MemorySegment random(ElementType type, int count, Random random) {
        MemorySegment segment = MemorySegment.ofArray(new long[Math.ceilDiv(count * type.sizeInBytes(), 8)])
            .asSlice(0, (long) count * type.sizeInBytes());
        for (int i = 0; i < count; i++) {
            set(type, segment, i, new Complex(random.nextInt(-8, 9), random.nextInt(-8, 9)));
        }
        return segment;
    }

    /** Memory that holds the given elements. */
    public static MemorySegment segment(ElementType type, Complex... values) {
        MemorySegment segment = random(type, values.length, new Random(0));
        for (int i = 0; i < values.length; i++) {
            set(type, segment, i, values[i]);
        }
        return segment;
    }

    /** Writes an element; the imaginary part is dropped where the type has none. */
    public static void set(ElementType type, MemorySegment segment, long i, Complex value) {
        switch (type) {
            case INT -> segment.setAtIndex(ValueLayout.JAVA_INT, i, (int) value.re());
            case LONG -> segment.setAtIndex(ValueLayout.JAVA_LONG, i, (long) value.re());
            case FLOAT -> segment.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value.re());
            case DOUBLE -> segment.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value.re());
            case COMPLEX_FLOAT -> {
                segment.setAtIndex(ValueLayout.JAVA_FLOAT, 2 * i, (float) value.re());
                segment.setAtIndex(ValueLayout.JAVA_FLOAT, 2 * i + 1, (float) value.im());
            }
            case COMPLEX_DOUBLE -> {
                segment.setAtIndex(ValueLayout.JAVA_DOUBLE, 2 * i, value.re());
                segment.setAtIndex(ValueLayout.JAVA_DOUBLE, 2 * i + 1, value.im());
            }
        }
    }

    /** Reads an element. */
    public static Complex get(ElementType type, MemorySegment segment, long i) {
        return switch (type) {
            case INT -> new Complex(segment.getAtIndex(ValueLayout.JAVA_INT, i), 0);
            case LONG -> new Complex(segment.getAtIndex(ValueLayout.JAVA_LONG, i), 0);
            case FLOAT -> new Complex(segment.getAtIndex(ValueLayout.JAVA_FLOAT, i), 0);
            case DOUBLE -> new Complex(segment.getAtIndex(ValueLayout.JAVA_DOUBLE, i), 0);
            case COMPLEX_FLOAT -> new Complex(segment.getAtIndex(ValueLayout.JAVA_FLOAT, 2 * i),
                segment.getAtIndex(ValueLayout.JAVA_FLOAT, 2 * i + 1));
            case COMPLEX_DOUBLE -> new Complex(segment.getAtIndex(ValueLayout.JAVA_DOUBLE, 2 * i),
                segment.getAtIndex(ValueLayout.JAVA_DOUBLE, 2 * i + 1));
        };
    }

    /** All elements. */
    public static Complex[] all(ElementType type, MemorySegment segment) {
        Complex[] all = new Complex[(int) (segment.byteSize() / type.sizeInBytes())];
        for (int i = 0; i < all.length; i++) {
            all[i] = get(type, segment, i);
        }
        return all;
    }

    /** A number as one of a type. */
    public static Scale scale(ElementType type, Complex value) {
        return switch (type) {
            case INT -> Scale.ofInt((int) value.re());
            case LONG -> Scale.ofLong((long) value.re());
            case FLOAT -> Scale.ofFloat((float) value.re());
            case DOUBLE -> Scale.ofDouble(value.re());
            case COMPLEX_FLOAT -> Scale.ofComplexFloat((float) value.re(), (float) value.im());
            case COMPLEX_DOUBLE -> Scale.ofComplexDouble(value.re(), value.im());
        };
    }

    /** Compares up to the rounding of the type. */
    public static void assertClose(ElementType type, Complex expected, Complex actual) {
        double tolerance = (type.componentBytes() == 4 ? 1e-5 : 1e-12)
            * Math.max(1, Math.abs(expected.re()) + Math.abs(expected.im()));
        assertEquals(expected.re(), actual.re(), tolerance);
        assertEquals(expected.im(), actual.im(), tolerance);
    }
}
