package org.tributary.client;

import org.tributary.wire.shape.ElementType;

/**
 * Factor of an accumulate and the type of its elements.
 *
 * @param type elements
 * @param re   factor, or its real part, as a number (integers) or as bits (floating point)
 * @param im   bits of the imaginary part, 0 for types that are not complex
 */
public record Scale(ElementType type, long re, long im) {
    /** Factor for 32-bit integers. */
    public static Scale ofInt(int factor) {
        return new Scale(ElementType.INT, factor, 0);
    }

    /** Factor for 64-bit integers. */
    public static Scale ofLong(long factor) {
        return new Scale(ElementType.LONG, factor, 0);
    }

    /** Factor for binary32. */
    public static Scale ofFloat(float factor) {
        return new Scale(ElementType.FLOAT, Float.floatToRawIntBits(factor), 0);
    }

    /** Factor for binary64. */
    public static Scale ofDouble(double factor) {
        return new Scale(ElementType.DOUBLE, Double.doubleToRawLongBits(factor), 0);
    }

    /** Factor for pairs of binary32. */
    public static Scale ofComplexFloat(float re, float im) {
        return new Scale(ElementType.COMPLEX_FLOAT, Float.floatToRawIntBits(re), Float.floatToRawIntBits(im));
    }

    /** Factor for pairs of binary64. */
    public static Scale ofComplexDouble(double re, double im) {
        return new Scale(ElementType.COMPLEX_DOUBLE, Double.doubleToRawLongBits(re), Double.doubleToRawLongBits(im));
    }

    /** The factor 1 of a type. */
    public static Scale one(ElementType type) {
        return switch (type) {
            case INT -> ofInt(1);
            case LONG -> ofLong(1);
            case FLOAT -> ofFloat(1);
            case DOUBLE -> ofDouble(1);
            case COMPLEX_FLOAT -> ofComplexFloat(1, 0);
            case COMPLEX_DOUBLE -> ofComplexDouble(1, 0);
        };
    }
}
