package org.tributary.client.shape;

import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * The parameters of an accumulate: how it combines elements, their type, and the factor of a sum.
 *
 * @param type elements
 * @param op   how they are combined; the factor is 1 unless this is {@link ReduceOp#SUM}
 * @param re   factor, or its real part, as a number (integers) or as bits (floating point)
 * @param im   bits of the imaginary part, 0 for types that are not complex
 */
public record Scale(ElementType type, ReduceOp op, long re, long im) {
    /** A sum with a factor. */
    public Scale(ElementType type, long re, long im) {
        this(type, ReduceOp.SUM, re, im);
    }

    /**
     * Any operation, without a factor.
     *
     * @throws IllegalArgumentException when it is not defined for the type
     */
    public static Scale of(ReduceOp op, ElementType type) {
        if (!op.isDefinedFor(type)) {
            throw new IllegalArgumentException(op + " is not defined for " + type);
        }
        return new Scale(type, op, type.one(), 0);
    }

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
        return of(ReduceOp.SUM, type);
    }
}
