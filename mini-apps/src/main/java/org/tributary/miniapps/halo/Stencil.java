package org.tributary.miniapps.halo;

import org.tributary.miniapps.exchange.Neighbourhood;

/**
 * A linear stencil on a periodic grid of integers modulo 2^64: in each step a cell becomes the weighted sum of itself
 * and its neighbours. All weights are odd and differ, so that a wrong, stale or exchanged ghost cell changes the
 * result, and arithmetic is exact, so that any order of computation gives the same one. Several fields, each an odd
 * multiple of the first, stay such multiples.
 */
final class Stencil {
    private static final long OWN_WEIGHT = 0x9E3779B97F4A7C15L;
    private static final long WEIGHT_STEP = 0xD1B54A32D192ED02L;
    private static final int DIMENSIONS = 3;

    private final int[][] offsets;

    Stencil(Neighbourhood neighbourhood) {
        offsets = new int[neighbourhood.count()][];
        for (int direction = 0; direction < offsets.length; direction++) {
            offsets[direction] = inThreeDimensions(neighbourhood.offset(direction), 0);
        }
    }

    /** As three numbers, the last ones those given. */
    static int[] inThreeDimensions(int[] numbers, int filler) {
        int[] three = {filler, filler, filler};
        System.arraycopy(numbers, 0, three, DIMENSIONS - numbers.length, numbers.length);
        return three;
    }

    int neighbours() {
        return offsets.length;
    }

    /** Where a neighbour is, in three dimensions. */
    int offset(int neighbour, int dimension) {
        return offsets[neighbour][dimension];
    }

    long weight(int neighbour) {
        return OWN_WEIGHT + (neighbour + 1) * WEIGHT_STEP;
    }

    long ownWeight() {
        return OWN_WEIGHT;
    }

    /** Initial value of a cell of the first field: its number in the whole grid, mixed as in SplitMix64. */
    static long initial(long cell) {
        long mixed = (cell + 1) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /** How many times the first field a field is. */
    static long multiple(int field) {
        return 2L * field + 1;
    }
}
