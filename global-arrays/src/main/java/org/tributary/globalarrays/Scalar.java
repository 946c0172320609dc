package org.tributary.globalarrays;

import org.tributary.client.shape.Scale;
import org.tributary.wire.shape.ElementType;

/**
 * A number for arrays of any element type: a 64-bit integer kept exactly, or a complex number whose imaginary part is 0
 * when it is real. Immutable and thread-safe.
 *
 * @param integral whether the number is {@code integer}; otherwise it is {@code re + im i}
 * @param integer  the integer, 0 when not integral
 * @param re       real part; of an integral number the nearest double
 * @param im       imaginary part
 */
public record Scalar(boolean integral, long integer, double re, double im) {
    /** The integer 0. */
    public static final Scalar ZERO = of(0);
    /** The integer 1. */
    public static final Scalar ONE = of(1);

    /** An integer. */
    public static Scalar of(long value) {
        return new Scalar(true, value, value, 0);
    }

    /** A real number. */
    public static Scalar of(double value) {
        return new Scalar(false, 0, value, 0);
    }

    /** A complex number. */
    public static Scalar of(double re, double im) {
        return new Scalar(false, 0, re, im);
    }

    /** The number as a double. */
    public double asDouble() {
        if (im != 0) {
            throw new ArithmeticException(this + " is not real");
        }
        return re;
    }

    /** The number as a long. */
    public long asLong() {
        // The cast makes the greatest long of all that is greater, and 2^63 is what that one is as a double.
        if (!integral && (im != 0 || (long) re != re || re >= 0x1p63)) {
            throw new ArithmeticException(this + " is not a 64-bit integer");
        }
        return integral ? integer : (long) re;
    }

    /**
     * The number as one of an element type.
     *
     * @param array name of the array, for the message
     * @throws ArrayShapeException when the type cannot hold it: a fraction or an overflow for an integer type, an
     *                             imaginary part for a real one
     */
    Scale toScale(String array, ElementType type) {
        try {
            return switch (type) {
                case INT -> Scale.ofInt(Math.toIntExact(asLong()));
                case LONG -> Scale.ofLong(asLong());
                case FLOAT -> Scale.ofFloat((float) asDouble());
                case DOUBLE -> Scale.ofDouble(asDouble());
                case COMPLEX_FLOAT -> Scale.ofComplexFloat((float) re, (float) im);
                case COMPLEX_DOUBLE -> Scale.ofComplexDouble(re, im);
            };
        } catch (ArithmeticException e) {
            ArrayShapeException misfit = new ArrayShapeException(array, "its elements of type " + type
                + " cannot hold the number " + this);
            misfit.initCause(e);
            throw misfit;
        }
    }

    /** For example {@code 3}, {@code 0.5} or {@code 0.5+2.0i}. */
    @Override
    public String toString() {
        if (integral) {
            return Long.toString(integer);
        }
        return im == 0 ? Double.toString(re) : re + (im < 0 ? "" : "+") + im + "i";
    }
}
