package org.tributary.miniapps.exchange;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Ranks in a periodic Cartesian grid, the last dimension varying fastest. */
public final class ProcessGrid {
    private final int[] extents;

    private ProcessGrid(int[] extents) {
        this.extents = extents;
    }

    /** A grid of all ranks, with extents as close to each other as their number allows, the larger ones first. */
    public static ProcessGrid of(int ranks, int dimensions) {
        return new ProcessGrid(factorize(ranks, dimensions));
    }

    /** The factors with the smallest sum: those closest to each other. */
    private static int[] factorize(int product, int factors) {
        if (factors == 1) {
            return new int[] {product};
        }
        int[] best = null;
        for (int first = product; first >= 1; first--) {
            if (product % first == 0) {
                int[] rest = factorize(product / first, factors - 1);
                if (best == null || first + Arrays.stream(rest).sum() < Arrays.stream(best).sum()) {
                    best = new int[factors];
                    best[0] = first;
                    System.arraycopy(rest, 0, best, 1, factors - 1);
                }
            }
        }
        return best;
    }

    public int dimensions() {
        return extents.length;
    }

    /** Ranks along a dimension. */
    public int extent(int dimension) {
        return extents[dimension];
    }

    /** Where a rank is. */
    public int[] coordinates(int rank) {
        int[] at = new int[extents.length];
        for (int d = extents.length - 1, left = rank; d >= 0; left /= extents[d], d--) {
            at[d] = left % extents[d];
        }
        return at;
    }

    /** The rank that is {@code offset} away from another, around the ends of the grid if need be. */
    public int neighbour(int rank, int... offset) {
        int[] at = coordinates(rank);
        int found = 0;
        for (int d = 0; d < extents.length; d++) {
            found = found * extents[d] + Math.floorMod(at[d] + offset[d], extents[d]);
        }
        return found;
    }

    /** For example {@code 3 x 2}. */
    @Override
    public String toString() {
        return Arrays.stream(extents).mapToObj(Integer::toString).collect(Collectors.joining(" x "));
    }
}
