package org.tributary.globalarrays.distribution;

/**
 * Chooses how many blocks each dimension is cut into. Of all grids of at most the given number of blocks that respect
 * the minimum chunks, it takes one whose largest block is smallest (the balance of work), of those one with the
 * smallest surface shared with other blocks (the communication of a stencil), of those one with most blocks.
 *
 * <p>Exhaustive over the ordered factorizations of each block count, from the largest count down, until even a perfect
 * balance could no longer win; branches that cannot win are cut. The factorization in the Global Arrays toolkit serves
 * the same purpose by heuristics.
 */
final class GridSearch {
    private final long[] dims;
    private final long[] caps;
    private final int[] current;
    private int[] best;
    private double bestVolume = Double.POSITIVE_INFINITY;
    private double bestSurface = Double.POSITIVE_INFINITY;

    private GridSearch(long[] dims, long[] minimumChunks) {
        this.dims = dims;
        caps = new long[dims.length];
        current = new int[dims.length];
        best = new int[dims.length];
        for (int d = 0; d < dims.length; d++) {
            caps[d] = Math.max(1, dims[d] / minimumChunks[d]);
        }
    }

    /**
     * The number of blocks in each dimension.
     *
     * @param limit         blocks there may be in all, at least 1
     * @param dims          length of each dimension, at least 1
     * @param minimumChunks least length of a block in each dimension, at least 1; a dimension shorter than twice that
     *                      stays whole
     */
    static int[] choose(int limit, long[] dims, long[] minimumChunks) {
        GridSearch search = new GridSearch(dims, minimumChunks);
        double volume = 1;
        long most = 1;
        for (int d = 0; d < dims.length; d++) {
            volume *= dims[d];
            most = Math.min(limit, most * Math.min(limit, search.caps[d]));
        }
        for (long blocks = most; blocks >= 1 && volume / blocks <= search.bestVolume; blocks--) {
            search.extend(0, (int) blocks, 1);
        }
        return search.best;
    }

    /** Tries every factor of what is left for dimension {@code d}; {@code blockVolume} covers the dimensions before. */
    private void extend(int d, int left, double blockVolume) {
        if (d == dims.length - 1) {
            if (left <= caps[d]) {
                current[d] = left;
                consider(blockVolume * longest(d, left));
            }
            return;
        }
        double rest = 1;
        for (int later = d + 1; later < dims.length; later++) {
            rest *= dims[later];
        }
        for (int factor = 1; factor <= left && factor <= caps[d]; factor++) {
            if (left % factor == 0) {
                double volume = blockVolume * longest(d, factor);
                if (volume * Math.max(1, rest / (left / factor)) <= bestVolume) {
                    current[d] = factor;
                    extend(d + 1, left / factor, volume);
                }
            }
        }
    }

    private double longest(int d, int blocks) {
        return Math.ceilDiv(dims[d], (long) blocks);
    }

    private void consider(double volume) {
        double surface = 0;
        for (int d = 0; d < dims.length; d++) {
            int neighbours = Math.min(2, current[d] - 1);
            surface += neighbours * volume / longest(d, current[d]);
        }
        if (volume < bestVolume || volume == bestVolume && surface < bestSurface) {
            bestVolume = volume;
            bestSurface = surface;
            best = current.clone();
        }
    }
}
