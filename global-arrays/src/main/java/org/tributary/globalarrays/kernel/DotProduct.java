package org.tributary.globalarrays.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.wire.shape.ElementType;

/**
 * Sums products of elements, row by row; complex elements are not conjugated. Integers are summed as 64-bit integers,
 * which wrap around, all others in double precision. Used by one thread.
 */
public final class DotProduct {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private final ElementType type;
    private long integer;
    private double re;
    private double im;

    /** An empty sum over elements of a type. */
    public DotProduct(ElementType type) {
        this.type = type;
    }

    /** The sum over integer elements. */
    public long integer() {
        return integer;
    }

    /** Real part of the sum over other elements. */
    public double re() {
        return re;
    }

    /** Imaginary part of the sum over complex elements. */
    public double im() {
        return im;
    }

    /** Adds the products of two rows; offsets in bytes. */
    public void addRow(MemorySegment a, long atA, MemorySegment b, long atB, int count) {
        switch (type) {
            case INT -> {
                for (int i = 0; i < count; i++) {
                    integer += (long) a.get(INT, atA + 4L * i) * b.get(INT, atB + 4L * i);
                }
            }
            case LONG -> {
                for (int i = 0; i < count; i++) {
                    integer += a.get(LONG, atA + 8L * i) * b.get(LONG, atB + 8L * i);
                }
            }
            case FLOAT -> {
                double sum = 0;
                for (int i = 0; i < count; i++) {
                    sum += (double) a.get(FLOAT, atA + 4L * i) * b.get(FLOAT, atB + 4L * i);
                }
                re += sum;
            }
            case DOUBLE -> re += doubles(a, atA, b, atB, count);
            case COMPLEX_FLOAT -> {
                for (int i = 0; i < count; i++) {
                    addComplex(a.get(FLOAT, atA + 8L * i), a.get(FLOAT, atA + 8L * i + 4),
                        b.get(FLOAT, atB + 8L * i), b.get(FLOAT, atB + 8L * i + 4));
                }
            }
            case COMPLEX_DOUBLE -> {
                for (int i = 0; i < count; i++) {
                    addComplex(a.get(DOUBLE, atA + 16L * i), a.get(DOUBLE, atA + 16L * i + 8),
                        b.get(DOUBLE, atB + 16L * i), b.get(DOUBLE, atB + 16L * i + 8));
                }
            }
        }
    }

    /** Four sums side by side, as one would wait for each addition. */
    private static double doubles(MemorySegment a, long atA, MemorySegment b, long atB, int count) {
        double sum0 = 0;
        double sum1 = 0;
        double sum2 = 0;
        double sum3 = 0;
        int i = 0;
        for (; i + 3 < count; i += 4) {
            long x = atA + 8L * i;
            long y = atB + 8L * i;
            sum0 += a.get(DOUBLE, x) * b.get(DOUBLE, y);
            sum1 += a.get(DOUBLE, x + 8) * b.get(DOUBLE, y + 8);
            sum2 += a.get(DOUBLE, x + 16) * b.get(DOUBLE, y + 16);
            sum3 += a.get(DOUBLE, x + 24) * b.get(DOUBLE, y + 24);
        }
        for (; i < count; i++) {
            sum0 += a.get(DOUBLE, atA + 8L * i) * b.get(DOUBLE, atB + 8L * i);
        }
        return sum0 + sum1 + (sum2 + sum3);
    }

    private void addComplex(double aRe, double aIm, double bRe, double bIm) {
        re += aRe * bRe - aIm * bIm;
        im += aRe * bIm + aIm * bRe;
    }
}
