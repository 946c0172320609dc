package org.tributary.globalarrays.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.client.shape.Scale;

/**
 * Operations on rows: elements that lie densely in memory. Offsets are in bytes, counts in elements. Numbers come as a
 * {@link Scale} of the elements' type. Integers wrap around on overflow, as in Java.
 */
public final class Rows {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private Rows() {
    }

    /** Sets every element to a number. */
    public static void fill(Scale value, MemorySegment row, long offset, int count) {
        switch (value.type()) {
            case INT, FLOAT -> {
                for (int i = 0; i < count; i++) {
                    row.set(INT, offset + 4L * i, (int) value.re());
                }
            }
            case LONG, DOUBLE -> {
                for (int i = 0; i < count; i++) {
                    row.set(LONG, offset + 8L * i, value.re());
                }
            }
            case COMPLEX_FLOAT -> {
                for (int i = 0; i < count; i++) {
                    row.set(INT, offset + 8L * i, (int) value.re());
                    row.set(INT, offset + 8L * i + 4, (int) value.im());
                }
            }
            case COMPLEX_DOUBLE -> {
                for (int i = 0; i < count; i++) {
                    row.set(LONG, offset + 16L * i, value.re());
                    row.set(LONG, offset + 16L * i + 8, value.im());
                }
            }
        }
    }

    /** Multiplies every element by a number. */
    public static void scale(Scale factor, MemorySegment row, long offset, int count) {
        switch (factor.type()) {
            case INT -> {
                for (int i = 0; i < count; i++) {
                    row.set(INT, offset + 4L * i, (int) factor.re() * row.get(INT, offset + 4L * i));
                }
            }
            case LONG -> {
                for (int i = 0; i < count; i++) {
                    row.set(LONG, offset + 8L * i, factor.re() * row.get(LONG, offset + 8L * i));
                }
            }
            case FLOAT -> scaleFloats((float) re(factor), row, offset, count);
            case DOUBLE -> scaleDoubles(re(factor), row, offset, count);
            case COMPLEX_FLOAT -> {
                for (int i = 0; i < count; i++) {
                    float re = row.get(FLOAT, offset + 8L * i);
                    float im = row.get(FLOAT, offset + 8L * i + 4);
                    row.set(FLOAT, offset + 8L * i, (float) (re(factor) * re - im(factor) * im));
                    row.set(FLOAT, offset + 8L * i + 4, (float) (re(factor) * im + im(factor) * re));
                }
            }
            case COMPLEX_DOUBLE -> {
                for (int i = 0; i < count; i++) {
                    double re = row.get(DOUBLE, offset + 16L * i);
                    double im = row.get(DOUBLE, offset + 16L * i + 8);
                    row.set(DOUBLE, offset + 16L * i, re(factor) * re - im(factor) * im);
                    row.set(DOUBLE, offset + 16L * i + 8, re(factor) * im + im(factor) * re);
                }
            }
        }
    }

    private static void scaleFloats(float factor, MemorySegment row, long offset, int count) {
        for (int i = 0; i < count; i++) {
            row.set(FLOAT, offset + 4L * i, factor * row.get(FLOAT, offset + 4L * i));
        }
    }

    private static void scaleDoubles(double factor, MemorySegment row, long offset, int count) {
        for (int i = 0; i < count; i++) {
            row.set(DOUBLE, offset + 8L * i, factor * row.get(DOUBLE, offset + 8L * i));
        }
    }

    /** {@code c = alpha a + beta b}; the rows may be the same. */
    public static void add(MemorySegment c, long atC, Scale alpha, MemorySegment a, long atA, Scale beta,
        MemorySegment b, long atB, int count) {
        switch (alpha.type()) {
            case INT -> addInts(c, atC, (int) alpha.re(), a, atA, (int) beta.re(), b, atB, count);
            case LONG -> addLongs(c, atC, alpha.re(), a, atA, beta.re(), b, atB, count);
            case FLOAT -> addFloats(c, atC, re(alpha), a, atA, re(beta), b, atB, count);
            case DOUBLE -> addDoubles(c, atC, re(alpha), a, atA, re(beta), b, atB, count);
            case COMPLEX_FLOAT -> addComplexFloats(c, atC, alpha, a, atA, beta, b, atB, count);
            case COMPLEX_DOUBLE -> addComplexDoubles(c, atC, alpha, a, atA, beta, b, atB, count);
        }
    }

    private static void addInts(MemorySegment c, long atC, int alpha, MemorySegment a, long atA, int beta,
        MemorySegment b, long atB, int count) {
        for (int i = 0; i < count; i++) {
            c.set(INT, atC + 4L * i, alpha * a.get(INT, atA + 4L * i) + beta * b.get(INT, atB + 4L * i));
        }
    }

    private static void addLongs(MemorySegment c, long atC, long alpha, MemorySegment a, long atA, long beta,
        MemorySegment b, long atB, int count) {
        for (int i = 0; i < count; i++) {
            c.set(LONG, atC + 8L * i, alpha * a.get(LONG, atA + 8L * i) + beta * b.get(LONG, atB + 8L * i));
        }
    }

    private static void addFloats(MemorySegment c, long atC, double alpha, MemorySegment a, long atA, double beta,
        MemorySegment b, long atB, int count) {
        for (int i = 0; i < count; i++) {
            c.set(FLOAT, atC + 4L * i,
                (float) alpha * a.get(FLOAT, atA + 4L * i) + (float) beta * b.get(FLOAT, atB + 4L * i));
        }
    }

    private static void addDoubles(MemorySegment c, long atC, double alpha, MemorySegment a, long atA, double beta,
        MemorySegment b, long atB, int count) {
        for (int i = 0; i < count; i++) {
            c.set(DOUBLE, atC + 8L * i, alpha * a.get(DOUBLE, atA + 8L * i) + beta * b.get(DOUBLE, atB + 8L * i));
        }
    }

    private static void addComplexFloats(MemorySegment c, long atC, Scale alpha, MemorySegment a, long atA, Scale beta,
        MemorySegment b, long atB, int count) {
        float alphaRe = (float) re(alpha);
        float alphaIm = (float) im(alpha);
        float betaRe = (float) re(beta);
        float betaIm = (float) im(beta);
        for (int i = 0; i < count; i++) {
            float aRe = a.get(FLOAT, atA + 8L * i);
            float aIm = a.get(FLOAT, atA + 8L * i + 4);
            float bRe = b.get(FLOAT, atB + 8L * i);
            float bIm = b.get(FLOAT, atB + 8L * i + 4);
            c.set(FLOAT, atC + 8L * i, alphaRe * aRe - alphaIm * aIm + (betaRe * bRe - betaIm * bIm));
            c.set(FLOAT, atC + 8L * i + 4, alphaRe * aIm + alphaIm * aRe + (betaRe * bIm + betaIm * bRe));
        }
    }

    private static void addComplexDoubles(MemorySegment c, long atC, Scale alpha, MemorySegment a, long atA, Scale beta,
        MemorySegment b, long atB, int count) {
        double alphaRe = re(alpha);
        double alphaIm = im(alpha);
        double betaRe = re(beta);
        double betaIm = im(beta);
        for (int i = 0; i < count; i++) {
            double aRe = a.get(DOUBLE, atA + 16L * i);
            double aIm = a.get(DOUBLE, atA + 16L * i + 8);
            double bRe = b.get(DOUBLE, atB + 16L * i);
            double bIm = b.get(DOUBLE, atB + 16L * i + 8);
            c.set(DOUBLE, atC + 16L * i, alphaRe * aRe - alphaIm * aIm + (betaRe * bRe - betaIm * bIm));
            c.set(DOUBLE, atC + 16L * i + 8, alphaRe * aIm + alphaIm * aRe + (betaRe * bIm + betaIm * bRe));
        }
    }

    private static double re(Scale scale) {
        return component(scale, scale.re());
    }

    private static double im(Scale scale) {
        return component(scale, scale.im());
    }

    private static double component(Scale scale, long bits) {
        return scale.type().componentBytes() == Float.BYTES ? Float.intBitsToFloat((int) bits)
            : Double.longBitsToDouble(bits);
    }
}
