package org.tributary.globalarrays.distribution;

import java.util.Arrays;

/** Blocks with given starts, found by binary search. */
final class GivenBlocks implements Blocks {
    private final long[] starts;
    private final long length;

    /**
     * Checks and keeps the starts.
     *
     * @throws IllegalArgumentException unless they begin with 0, rise strictly and stay below {@code length}
     */
    GivenBlocks(int dimension, long length, long[] starts) {
        if (starts.length == 0 || starts[0] != 0) {
            throw new IllegalArgumentException("the block starts of dimension " + dimension + " must begin with 0: "
                + Arrays.toString(starts));
        }
        for (int i = 0; i < starts.length; i++) {
            long next = i + 1 < starts.length ? starts[i + 1] : length;
            if (next <= starts[i]) {
                throw new IllegalArgumentException("the block starts of dimension " + dimension
                    + " must rise and stay below its length " + length + ": " + Arrays.toString(starts));
            }
        }
        this.starts = starts.clone();
        this.length = length;
    }

    @Override
    public int count() {
        return starts.length;
    }

    @Override
    public long start(int block) {
        return block == starts.length ? length : starts[block];
    }

    @Override
    public int blockOf(long index) {
        int found = Arrays.binarySearch(starts, index);
        return found >= 0 ? found : -found - 2;
    }
}
