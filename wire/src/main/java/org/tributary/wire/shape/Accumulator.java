package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.wire.shm.AccumulateLocks;

/**
 * {@code dst += scale * src}, element by element, atomic against every other accumulate of the node: each run of at
 * most {@link AccumulateLocks#STRIPE_BYTES} happens under the lock of its stripe. Complex numbers are added by
 * components; one that lies across two stripes is added under both locks.
 *
 * <p>Floating-point scales travel as their bits ({@code re}, {@code im}); the imaginary part matters only to complex
 * types. The caller has checked bounds and alignment, so nothing is thrown under a lock. Immutable and thread-safe.
 */
public final class Accumulator {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private final AccumulateLocks locks;

    /** Accumulates under the locks of one node. */
    public Accumulator(AccumulateLocks locks) {
        this.locks = locks;
    }

    /**
     * Accumulates packed elements into the next {@code lengthInBytes} of a region.
     *
     * @param lengthInBytes whole elements; so are the blocks of the region
     * @param segmentId     segment of the region, which with {@code fileOffset}, the place of the region's memory in
     *                      the segment's file, chooses the locks
     */
    public void accumulate(ElementType type, long re, long im, MemorySegment source, long sourceOffset,
        long lengthInBytes, StridedRegion target, long segmentId, long fileOffset) {
        long from = sourceOffset;
        long left = lengthInBytes;
        while (left > 0) {
            long at = fileOffset + target.position();
            long toStripeEnd = AccumulateLocks.STRIPE_BYTES - at % AccumulateLocks.STRIPE_BYTES;
            long bytes = Math.min(Math.min(left, target.contiguous()), toStripeEnd);
            bytes -= bytes % type.sizeInBytes();
            if (bytes == 0) {
                bytes = type.sizeInBytes();
                addAcrossStripes(type, re, im, source, from, target, segmentId, at);
            } else {
                int lock = AccumulateLocks.lockOf(segmentId, at);
                locks.acquire(lock);
                add(type, re, im, source, from, target.memory(), target.position(), (int) bytes);
                locks.release(lock);
            }
            target.advance(bytes);
            from += bytes;
            left -= bytes;
        }
    }

    /** One complex element that begins in one stripe and ends in the next: under both locks, lower one first. */
    private void addAcrossStripes(ElementType type, long re, long im, MemorySegment source, long from,
        StridedRegion target, long segmentId, long at) {
        int one = AccumulateLocks.lockOf(segmentId, at);
        int two = AccumulateLocks.lockOf(segmentId, at + type.componentBytes());
        locks.acquire(Math.min(one, two));
        locks.acquire(Math.max(one, two));
        add(type, re, im, source, from, target.memory(), target.position(), type.sizeInBytes());
        locks.release(one);
        locks.release(two);
    }

    private static void add(ElementType type, long re, long im, MemorySegment source, long from,
        MemorySegment target, long to, int bytes) {
        switch (type) {
            case INT -> addInts((int) re, source, from, target, to, bytes / 4);
            case LONG -> addLongs(re, source, from, target, to, bytes / 8);
            case FLOAT -> addFloats(Float.intBitsToFloat((int) re), source, from, target, to, bytes / 4);
            case DOUBLE -> addDoubles(Double.longBitsToDouble(re), source, from, target, to, bytes / 8);
            case COMPLEX_FLOAT -> addComplexFloats(Float.intBitsToFloat((int) re), Float.intBitsToFloat((int) im),
                source, from, target, to, bytes / 8);
            case COMPLEX_DOUBLE -> addComplexDoubles(Double.longBitsToDouble(re), Double.longBitsToDouble(im),
                source, from, target, to, bytes / 16);
        }
    }

    private static void addInts(int scale, MemorySegment source, long from, MemorySegment target, long to, int n) {
        for (int i = 0; i < n; i++) {
            long at = to + 4L * i;
            target.set(INT, at, target.get(INT, at) + scale * source.get(INT, from + 4L * i));
        }
    }

    private static void addLongs(long scale, MemorySegment source, long from, MemorySegment target, long to, int n) {
        for (int i = 0; i < n; i++) {
            long at = to + 8L * i;
            target.set(LONG, at, target.get(LONG, at) + scale * source.get(LONG, from + 8L * i));
        }
    }

    private static void addFloats(float scale, MemorySegment source, long from, MemorySegment target, long to, int n) {
        for (int i = 0; i < n; i++) {
            long at = to + 4L * i;
            target.set(FLOAT, at, target.get(FLOAT, at) + scale * source.get(FLOAT, from + 4L * i));
        }
    }

    private static void addDoubles(double scale, MemorySegment source, long from, MemorySegment target, long to,
        int n) {
        for (int i = 0; i < n; i++) {
            long at = to + 8L * i;
            target.set(DOUBLE, at, target.get(DOUBLE, at) + scale * source.get(DOUBLE, from + 8L * i));
        }
    }

    private static void addComplexFloats(float re, float im, MemorySegment source, long from, MemorySegment target,
        long to, int n) {
        for (int i = 0; i < n; i++) {
            float sourceRe = source.get(FLOAT, from + 8L * i);
            float sourceIm = source.get(FLOAT, from + 8L * i + 4);
            long at = to + 8L * i;
            target.set(FLOAT, at, target.get(FLOAT, at) + (re * sourceRe - im * sourceIm));
            target.set(FLOAT, at + 4, target.get(FLOAT, at + 4) + (re * sourceIm + im * sourceRe));
        }
    }

    private static void addComplexDoubles(double re, double im, MemorySegment source, long from,
        MemorySegment target, long to, int n) {
        for (int i = 0; i < n; i++) {
            double sourceRe = source.get(DOUBLE, from + 16L * i);
            double sourceIm = source.get(DOUBLE, from + 16L * i + 8);
            long at = to + 16L * i;
            target.set(DOUBLE, at, target.get(DOUBLE, at) + (re * sourceRe - im * sourceIm));
            target.set(DOUBLE, at + 8, target.get(DOUBLE, at + 8) + (re * sourceIm + im * sourceRe));
        }
    }
}
