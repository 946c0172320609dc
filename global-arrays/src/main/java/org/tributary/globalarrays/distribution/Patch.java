package org.tributary.globalarrays.distribution;

import java.util.Arrays;

/**
 * A rectangular section of an array: in dimension {@code d} the indices from {@code lo(d)} up to, but without,
 * {@code hi(d)}. (The Global Arrays toolkit includes the upper bound; this library never does, so that an empty
 * section needs no special case.)
 *
 * <p>Bounds may lie outside any particular array, as those of ghost cells do. Immutable and thread-safe.
 */
public final class Patch {
    private final long[] lo;
    private final long[] hi;

    private Patch(long[] lo, long[] hi) {
        this.lo = lo;
        this.hi = hi;
    }

    /**
     * The patch between two corners.
     *
     * @param lo first index in each dimension
     * @param hi one past the last index in each dimension
     * @throws IllegalArgumentException when the lengths differ, are 0, or {@code hi} lies before {@code lo}
     */
    public static Patch of(long[] lo, long[] hi) {
        if (lo.length != hi.length || lo.length == 0) {
            throw new IllegalArgumentException("a patch needs as many lower as upper bounds, at least one: "
                + Arrays.toString(lo) + " and " + Arrays.toString(hi));
        }
        for (int d = 0; d < lo.length; d++) {
            if (hi[d] < lo[d]) {
                throw new IllegalArgumentException("upper bound " + hi[d] + " lies before lower bound " + lo[d]
                    + " in dimension " + d);
            }
        }
        return new Patch(lo.clone(), hi.clone());
    }

    /** The one-dimensional patch {@code [lo, hi)}. */
    public static Patch of(long lo, long hi) {
        return of(new long[] {lo}, new long[] {hi});
    }

    /** The two-dimensional patch {@code [rowLo, rowHi) x [columnLo, columnHi)}. */
    public static Patch of(long rowLo, long rowHi, long columnLo, long columnHi) {
        return of(new long[] {rowLo, columnLo}, new long[] {rowHi, columnHi});
    }

    /** All of an array with these dimensions. */
    public static Patch whole(long... dims) {
        return of(new long[dims.length], dims);
    }

    /** Number of dimensions, at least 1. */
    public int dimensions() {
        return lo.length;
    }

    /** First index in a dimension. */
    public long lo(int dimension) {
        return lo[dimension];
    }

    /** One past the last index in a dimension. */
    public long hi(int dimension) {
        return hi[dimension];
    }

    /** A copy of the lower corner. */
    public long[] lo() {
        return lo.clone();
    }

    /** A copy of the upper corner, which itself does not belong to the patch. */
    public long[] hi() {
        return hi.clone();
    }

    /** Number of indices in a dimension. */
    public long extent(int dimension) {
        return hi[dimension] - lo[dimension];
    }

    /** Number of elements. */
    public long elementCount() {
        long count = 1;
        for (int d = 0; d < lo.length; d++) {
            count = Math.multiplyExact(count, extent(d));
        }
        return count;
    }

    /** Whether the patch holds no element. */
    public boolean isEmpty() {
        for (int d = 0; d < lo.length; d++) {
            if (lo[d] == hi[d]) {
                return true;
            }
        }
        return false;
    }

    /** Whether an index lies in this patch. */
    public boolean contains(long... index) {
        for (int d = 0; d < lo.length; d++) {
            if (index[d] < lo[d] || index[d] >= hi[d]) {
                return false;
            }
        }
        return true;
    }

    /** Whether every element of another patch lies in this one; an empty patch lies in every other. */
    public boolean contains(Patch other) {
        return other.isEmpty() || intersect(other).equals(other);
    }

    /** The elements that lie in both; where there are none, some empty patch. */
    public Patch intersect(Patch other) {
        long[] low = new long[lo.length];
        long[] high = new long[lo.length];
        for (int d = 0; d < lo.length; d++) {
            low[d] = Math.max(lo[d], other.lo[d]);
            high[d] = Math.max(low[d], Math.min(hi[d], other.hi[d]));
        }
        return new Patch(low, high);
    }

    /** The same shape, moved by a distance in each dimension. */
    public Patch shift(long... distances) {
        long[] low = lo.clone();
        long[] high = hi.clone();
        for (int d = 0; d < lo.length; d++) {
            low[d] += distances[d];
            high[d] += distances[d];
        }
        return new Patch(low, high);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Patch that && Arrays.equals(lo, that.lo) && Arrays.equals(hi, that.hi);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(lo) + Arrays.hashCode(hi);
    }

    /** For example {@code [0, 4) x [10, 20)}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int d = 0; d < lo.length; d++) {
            text.append(d == 0 ? "[" : " x [").append(lo[d]).append(", ").append(hi[d]).append(')');
        }
        return text.toString();
    }
}
