package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * {@code dst[i] += scale * src[i]} over memory, in two steps: the source is read and scaled, which may wait for its
 * memory or fail, then it is added, which does neither. The sums are made in small arrays that stay in the first-level
 * cache: loops over arrays are vectorized whatever kinds of memory a program mixes, while loops over segments lose a
 * factor of ten and more once the compiler has seen several kinds. Many elements have a loop apart from that for few,
 * because one that the compiler has mostly seen with one element is not vectorized: 4 MiB of it take two to three times
 * as long. That of complex numbers is vectorized neither way. One object a thread.
 */
final class ScaledAdd {
    /** Most bytes at a time. */
    static final int TILE_BYTES = 8192;
    private static final int MANY = 128;
    private static final ThreadLocal<ScaledAdd> OF_THREAD = ThreadLocal.withInitial(ScaledAdd::new);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private final int[] intSource = new int[TILE_BYTES / Integer.BYTES];
    private final int[] intTarget = new int[TILE_BYTES / Integer.BYTES];
    private final long[] longSource = new long[TILE_BYTES / Long.BYTES];
    private final long[] longTarget = new long[TILE_BYTES / Long.BYTES];
    private final float[] floatSource = new float[TILE_BYTES / Float.BYTES];
    private final float[] floatTarget = new float[TILE_BYTES / Float.BYTES];
    private final double[] doubleSource = new double[TILE_BYTES / Double.BYTES];
    private final double[] doubleTarget = new double[TILE_BYTES / Double.BYTES];

    private ScaledAdd() {
    }

    static ScaledAdd ofThread() {
        return OF_THREAD.get();
    }

    /** Reads and scales whole elements, at most {@link #TILE_BYTES}. */
    void stage(ElementType type, long re, long im, MemorySegment source, long from, int bytes) {
        switch (type) {
            case INT -> stageInts((int) re, source, from, bytes / Integer.BYTES);
            case LONG -> stageLongs(re, source, from, bytes / Long.BYTES);
            case FLOAT -> stageFloats(Float.intBitsToFloat((int) re), 0, source, from, bytes / Float.BYTES);
            case COMPLEX_FLOAT -> stageFloats(Float.intBitsToFloat((int) re), Float.intBitsToFloat((int) im), source,
                from, bytes / Float.BYTES);
            case DOUBLE -> stageDoubles(Double.longBitsToDouble(re), 0, source, from, bytes / Double.BYTES);
            case COMPLEX_DOUBLE -> stageDoubles(Double.longBitsToDouble(re), Double.longBitsToDouble(im), source,
                from, bytes / Double.BYTES);
        }
    }

    /** Adds what was staged last. */
    void addTo(ElementType type, MemorySegment target, long to, int bytes) {
        switch (type) {
            case INT -> addInts(target, to, bytes / Integer.BYTES);
            case LONG -> addLongs(target, to, bytes / Long.BYTES);
            case FLOAT, COMPLEX_FLOAT -> addFloats(target, to, bytes / Float.BYTES);
            case DOUBLE, COMPLEX_DOUBLE -> addDoubles(target, to, bytes / Double.BYTES);
        }
    }

    private void stageInts(int scale, MemorySegment source, long from, int n) {
        MemorySegment.copy(source, INT, from, intSource, 0, n);
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            intSource[i] *= scale;
        }
        for (; i < n; i++) {
            intSource[i] *= scale;
        }
    }

    private void addInts(MemorySegment target, long to, int n) {
        MemorySegment.copy(target, INT, to, intTarget, 0, n);
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            intTarget[i] += intSource[i];
        }
        for (; i < n; i++) {
            intTarget[i] += intSource[i];
        }
        MemorySegment.copy(intTarget, 0, target, INT, to, n);
    }

    private void stageLongs(long scale, MemorySegment source, long from, int n) {
        MemorySegment.copy(source, LONG, from, longSource, 0, n);
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            longSource[i] *= scale;
        }
        for (; i < n; i++) {
            longSource[i] *= scale;
        }
    }

    private void addLongs(MemorySegment target, long to, int n) {
        MemorySegment.copy(target, LONG, to, longTarget, 0, n);
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            longTarget[i] += longSource[i];
        }
        for (; i < n; i++) {
            longTarget[i] += longSource[i];
        }
        MemorySegment.copy(longTarget, 0, target, LONG, to, n);
    }

    private void stageFloats(float re, float im, MemorySegment source, long from, int n) {
        MemorySegment.copy(source, FLOAT, from, floatSource, 0, n);
        if (im != 0) { // a real scale works by components, and infinities stay what they are
            for (int i = 0; i < n; i += 2) {
                float x = floatSource[i];
                float y = floatSource[i + 1];
                floatSource[i] = re * x - im * y;
                floatSource[i + 1] = re * y + im * x;
            }
            return;
        }
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            floatSource[i] *= re;
        }
        for (; i < n; i++) {
            floatSource[i] *= re;
        }
    }

    private void addFloats(MemorySegment target, long to, int n) {
        MemorySegment.copy(target, FLOAT, to, floatTarget, 0, n);
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            floatTarget[i] += floatSource[i];
        }
        for (; i < n; i++) {
            floatTarget[i] += floatSource[i];
        }
        MemorySegment.copy(floatTarget, 0, target, FLOAT, to, n);
    }

    private void stageDoubles(double re, double im, MemorySegment source, long from, int n) {
        MemorySegment.copy(source, DOUBLE, from, doubleSource, 0, n);
        if (im != 0) { // a real scale works by components, and infinities stay what they are
            for (int i = 0; i < n; i += 2) {
                double x = doubleSource[i];
                double y = doubleSource[i + 1];
                doubleSource[i] = re * x - im * y;
                doubleSource[i + 1] = re * y + im * x;
            }
            return;
        }
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            doubleSource[i] *= re;
        }
        for (; i < n; i++) {
            doubleSource[i] *= re;
        }
    }

    private void addDoubles(MemorySegment target, long to, int n) {
        MemorySegment.copy(target, DOUBLE, to, doubleTarget, 0, n);
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            doubleTarget[i] += doubleSource[i];
        }
        for (; i < n; i++) {
            doubleTarget[i] += doubleSource[i];
        }
        MemorySegment.copy(doubleTarget, 0, target, DOUBLE, to, n);
    }
}
