package org.tributary.globalarrays.distribution;

import java.util.Random;
import java.util.function.Consumer;

/** The serial model's view of patches: every index, in row-major order. */
public final class Indices {
    private Indices() {
    }

    /** Visits every index of a patch; the array passed is a new one each time. */
    public static void forEach(Patch patch, Consumer<long[]> visitor) {
        for (long k = 0; k < patch.elementCount(); k++) {
            visitor.accept(at(patch, k));
        }
    }

    /** The k-th index of a patch. */
    public static long[] at(Patch patch, long k) {
        long[] index = new long[patch.dimensions()];
        long rest = k;
        for (int d = index.length - 1; d >= 0; d--) {
            index[d] = patch.lo(d) + rest % patch.extent(d);
            rest /= patch.extent(d);
        }
        return index;
    }

    /** Position of an index in a patch, in row-major order. */
    public static int position(Patch patch, long... index) {
        long position = 0;
        for (int d = 0; d < index.length; d++) {
            position = position * patch.extent(d) + index[d] - patch.lo(d);
        }
        return Math.toIntExact(position);
    }

    /** Any patch of an array, sometimes an empty one. */
    public static Patch randomPatch(long[] dims, Random random) {
        long[] lo = new long[dims.length];
        long[] hi = new long[dims.length];
        for (int d = 0; d < dims.length; d++) {
            long one = random.nextLong(dims[d] + 1);
            long other = random.nextLong(dims[d] + 1);
            lo[d] = Math.min(one, other);
            hi[d] = Math.max(one, other);
        }
        return Patch.of(lo, hi);
    }
}
