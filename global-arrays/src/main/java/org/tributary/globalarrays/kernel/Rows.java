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

    /** Multiplies every element by a number. A real one works by components, and infinities stay what they are. */
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
                if (im(factor) == 0) {
                    scaleFloats((float) re(factor), row, offset, 2 * count);
                } else {
                    scaleComplexFloats(re(factor), im(factor), row, offset, count);
                }
            }
            case COMPLEX_DOUBLE -> {
                if (im(factor) == 0) {
                    scaleDoubles(re(factor), row, offset, 2 * count);
                } else {
                    scaleComplexDoubles(re(factor), im(factor), row, offset, count);
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

    private static void scaleComplexFloats(double factorRe, double factorIm, MemorySegment row, long offset,
        int count) {
        for (int i = 0; i < count; i++) {
            float re = row.get(FLOAT, offset + 8L * i);
            float im = row.get(FLOAT, offset + 8L * i + 4);
            row.set(FLOAT, offset + 8L * i, (float) (factorRe * re - factorIm * im));
            row.set(FLOAT, offset + 8L * i + 4, (float) (factorRe * im + factorIm * re));
        }
    }

    private static void scaleComplexDoubles(double factorRe, double factorIm, MemorySegment row, long offset,
        int count) {
        for (int i = 0; i < count; i++) {
            double re = row.get(DOUBLE, offset + 16L * i);
            double im = row.get(DOUBLE, offset + 16L * i + 8);
            row.set(DOUBLE, offset + 16L * i, factorRe * re - factorIm * im);
            row.set(DOUBLE, offset + 16L * i + 8, factorRe * im + factorIm * re);
        }
    }

    /** {@code c = alpha a + beta b}, as {@link #scale} multiplies; the rows may be the same. */
    public static void add(MemorySegment c, long atC, Scale alpha, MemorySegment a, long atA, Scale beta,
        MemorySegment b, long atB, int count) {
        switch (alpha.type()) {
            case INT -> addInts(c, atC, (int) alpha.re(), a, atA, (int) beta.re(), b, atB, count);
            case LONG -> addLongs(c, atC, alpha.re(), a, atA, beta.re(), b, atB, count);
            case FLOAT -> addFloats(c, atC, re(alpha), a, atA, re(beta), b, atB, count);
            case DOUBLE -> addDoubles(c, atC, re(alpha), a, atA, re(beta), b, atB, count);
            case COMPLEX_FLOAT -> {
                if (im(alpha) == 0 && im(beta) == 0) {
                    addFloats(c, atC, re(alpha), a, atA, re(beta), b, atB, 2 * count);
                } else {
                    addComplexFloats(c, atC, alpha, a, atA, beta, b, atB, count);
                }
            }
            case COMPLEX_DOUBLE -> {
                if (im(alpha) == 0 && im(beta) == 0) {
                    addDoubles(c, atC, re(alpha), a, atA, re(beta), b, atB, 2 * count);
                } else {
                    addComplexDoubles(c, atC, alpha, a, atA, beta, b, atB, count);
                }
            }
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
            c.set(FLOAT, atC + 8L * i, re(alphaRe, alphaIm, aRe, aIm) + re(betaRe, betaIm, bRe, bIm));
            c.set(FLOAT, atC + 8L * i + 4, im(alphaRe, alphaIm, aRe, aIm) + im(betaRe, betaIm, bRe, bIm));
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
            c.set(DOUBLE, atC + 16L * i, re(alphaRe, alphaIm, aRe, aIm) + re(betaRe, betaIm, bRe, bIm));
            c.set(DOUBLE, atC + 16L * i + 8, im(alphaRe, alphaIm, aRe, aIm) + im(betaRe, betaIm, bRe, bIm));
        }
    }

    private static float re(float factorRe, float factorIm, float re, float im) {
        return factorIm == 0 ? factorRe * re : factorRe * re - factorIm * im;
    }

    private static float im(float factorRe, float factorIm, float re, float im) {
        return factorIm == 0 ? factorRe * im : factorRe * im + factorIm * re;
    }

    /** Real part of a product with a factor that works by components if it is real. */
    static double re(double factorRe, double factorIm, double re, double im) {
        return factorIm == 0 ? factorRe * re : factorRe * re - factorIm * im;
    }

    /** Imaginary part of such a product. */
    static double im(double factorRe, double factorIm, double re, double im) {
        return factorIm == 0 ? factorRe * im : factorRe * im + factorIm * re;
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
