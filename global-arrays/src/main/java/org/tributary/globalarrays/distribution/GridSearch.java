package org.tributary.globalarrays.distribution;

/**
 * Chooses how many blocks each dimension is cut into: the grid whose largest block, together with one layer of
 * elements of each neighbour, has the fewest elements. So blocks are of nearly equal size, the balance of work, and
 * compact, which keeps the communication of stencils and matrix products low. Among equals it takes more blocks, and
 * cuts earlier dimensions rather, whose sections are longer contiguous ranges.
 *
 * <p>Exhaustive over the ordered factorizations of each number of blocks from the largest possible one down, by at most
 * an eighth: no more ranks than that stay idle for the sake of a better shape. Branches that cannot win are cut. The
 * factorization in the Global Arrays toolkit serves the same purpose by heuristics.
 */
final class GridSearch {
    private static final int IDLE_SHARE = 8;
    /** At large counts, good factorizations lie close together. */
    private static final int MOST_COUNTS = 4096;

    private final long[] dims;
    private final long[] caps;
    private final int[] current;
    private int[] best;
    private double bestCost = Double.POSITIVE_INFINITY;
    private int bestCount;

    private GridSearch(long[] dims, long[] minimumChunks) {
        this.dims = dims;
        caps = new long[dims.length];
        current = new int[dims.length];
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
        double elements = 1;
        long most = 1;
        for (int d = 0; d < dims.length; d++) {
            elements *= dims[d];
            most = Math.min(limit, most * Math.min(limit, search.caps[d]));
        }
        long least = most - Math.min(most / IDLE_SHARE, MOST_COUNTS);
        for (long count = most; count >= least || search.best == null; count--) {
            if (elements / count <= search.bestCost) {
                search.extend(0, (int) count, 1, (int) count);
            }
        }
        return search.best;
    }

    /** Tries every divisor of what is left for dimension {@code d}; {@code cost} covers the dimensions before. */
    private void extend(int d, int left, double cost, int count) {
        if (d == dims.length - 1) {
            tryFactor(d, left, left, cost, count);
            return;
        }
        for (int factor = 1; (long) factor * factor <= left; factor++) {
            if (left % factor == 0) {
                tryFactor(d, left, factor, cost, count);
                if (factor != left / factor) {
                    tryFactor(d, left, left / factor, cost, count);
                }
            }
        }
    }

    private void tryFactor(int d, int left, int factor, double cost, int count) {
        double next = cost * (Math.ceilDiv(dims[d], (long) factor) + Math.min(2, factor - 1));
        if (factor > caps[d] || next > bestCost) {
            return;
        }
        current[d] = factor;
        if (d < dims.length - 1) {
            extend(d + 1, left / factor, next, count);
        } else if (next < bestCost || count == bestCount && cutsEarlier()) {
            bestCost = next;
            bestCount = count;
            best = current.clone();
        }
    }

    private boolean cutsEarlier() {
        int d = 0;
        while (d < dims.length - 1 && current[d] == best[d]) {
            d++;
        }
        return current[d] > best[d];
    }
}
