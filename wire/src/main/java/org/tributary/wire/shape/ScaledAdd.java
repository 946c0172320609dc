package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * {@code dst[i] += scale * src[i]} over memory. The sums are made in small arrays that stay in the first-level cache:
 * loops over arrays are vectorized whatever kinds of memory a program mixes, while loops over segments lose a factor of
 * ten and more once the compiler has seen several kinds. Many elements have a loop apart from that for few, because one
 * that the compiler has mostly seen with one element is not vectorized: 4 MiB of it take two to three times as long.
 * That of complex numbers is vectorized neither way. One object a thread.
 */
final class ScaledAdd {
    private static final int TILE_BYTES = 8192;
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

    /** Adds {@code bytes} of whole elements. */
    void add(ElementType type, long re, long im, MemorySegment source, long from, MemorySegment target, long to,
        int bytes) {
        for (int done = 0; done < bytes; done += TILE_BYTES) {
            int piece = Math.min(TILE_BYTES, bytes - done);
            addTile(type, re, im, source, from + done, target, to + done, piece);
        }
    }

    private void addTile(ElementType type, long re, long im, MemorySegment source, long from, MemorySegment target,
        long to, int bytes) {
        switch (type) {
            case INT -> addInts((int) re, source, from, target, to, bytes / Integer.BYTES);
            case LONG -> addLongs(re, source, from, target, to, bytes / Long.BYTES);
            case FLOAT -> addFloats(Float.intBitsToFloat((int) re), 0, false, source, from, target, to,
                bytes / Float.BYTES);
            case COMPLEX_FLOAT -> addFloats(Float.intBitsToFloat((int) re), Float.intBitsToFloat((int) im), true,
                source, from, target, to, bytes / Float.BYTES);
            case DOUBLE -> addDoubles(Double.longBitsToDouble(re), 0, false, source, from, target, to,
                bytes / Double.BYTES);
            case COMPLEX_DOUBLE -> addDoubles(Double.longBitsToDouble(re), Double.longBitsToDouble(im), true, source,
                from, target, to, bytes / Double.BYTES);
        }
    }

    private void addInts(int scale, MemorySegment source, long from, MemorySegment target, long to, int n) {
        MemorySegment.copy(source, INT, from, intSource, 0, n);
        MemorySegment.copy(target, INT, to, intTarget, 0, n);
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            intTarget[i] += scale * intSource[i];
        }
        for (; i < n; i++) {
            intTarget[i] += scale * intSource[i];
        }
        MemorySegment.copy(intTarget, 0, target, INT, to, n);
    }

    private void addLongs(long scale, MemorySegment source, long from, MemorySegment target, long to, int n) {
        MemorySegment.copy(source, LONG, from, longSource, 0, n);
        MemorySegment.copy(target, LONG, to, longTarget, 0, n);
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            longTarget[i] += scale * longSource[i];
        }
        for (; i < n; i++) {
            longTarget[i] += scale * longSource[i];
        }
        MemorySegment.copy(longTarget, 0, target, LONG, to, n);
    }

    private void addFloats(float re, float im, boolean complex, MemorySegment source, long from,
        MemorySegment target, long to, int n) {
        MemorySegment.copy(source, FLOAT, from, floatSource, 0, n);
        MemorySegment.copy(target, FLOAT, to, floatTarget, 0, n);
        if (complex && im != 0) { // a real scale works by components, and infinities stay what they are
            for (int i = 0; i < n; i += 2) {
                floatTarget[i] += re * floatSource[i] - im * floatSource[i + 1];
                floatTarget[i + 1] += re * floatSource[i + 1] + im * floatSource[i];
            }
        } else {
            int i = 0;
            for (; n >= MANY && i < n; i++) {
                floatTarget[i] += re * floatSource[i];
            }
            for (; i < n; i++) {
                floatTarget[i] += re * floatSource[i];
            }
        }
        MemorySegment.copy(floatTarget, 0, target, FLOAT, to, n);
    }

    private void addDoubles(double re, double im, boolean complex, MemorySegment source, long from,
        MemorySegment target, long to, int n) {
        MemorySegment.copy(source, DOUBLE, from, doubleSource, 0, n);
        MemorySegment.copy(target, DOUBLE, to, doubleTarget, 0, n);
        if (complex && im != 0) { // a real scale works by components, and infinities stay what they are
            for (int i = 0; i < n; i += 2) {
                doubleTarget[i] += re * doubleSource[i] - im * doubleSource[i + 1];
                doubleTarget[i + 1] += re * doubleSource[i + 1] + im * doubleSource[i];
            }
        } else {
            int i = 0;
            for (; n >= MANY && i < n; i++) {
                doubleTarget[i] += re * doubleSource[i];
            }
            for (; i < n; i++) {
                doubleTarget[i] += re * doubleSource[i];
            }
        }
        MemorySegment.copy(doubleTarget, 0, target, DOUBLE, to, n);
    }
}
