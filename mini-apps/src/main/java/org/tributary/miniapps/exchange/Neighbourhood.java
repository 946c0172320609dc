package org.tributary.miniapps.exchange;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Neighbours of one rank, numbered by direction. In a small periodic grid several directions can lead to the same rank,
 * or back to the rank itself. A neighbour has this rank as its own neighbour, in the opposite direction.
 */
public final class Neighbourhood {
    private final ProcessGrid grid;
    private final int self;
    private final int[][] offsets;
    private final int[] ranks;

    private Neighbourhood(ProcessGrid grid, int self, int[][] offsets) {
        this.grid = grid;
        this.self = self;
        this.offsets = offsets;
        ranks = Arrays.stream(offsets).mapToInt(offset -> grid.neighbour(self, offset)).toArray();
    }

    /** The neighbours that share a face with a rank: 4 in two dimensions, 6 in three. */
    public static Neighbourhood faces(ProcessGrid grid, int rank) {
        return new Neighbourhood(grid, rank, offsets(grid.dimensions(), 1));
    }

    /** The neighbours that share a face, an edge or a corner with a rank: 8 in two dimensions, 26 in three. */
    public static Neighbourhood all(ProcessGrid grid, int rank) {
        return new Neighbourhood(grid, rank, offsets(grid.dimensions(), grid.dimensions()));
    }

    /** In lexicographic order, which reversed is that of the opposite directions. */
    private static int[][] offsets(int dimensions, int mostNonZero) {
        int base = 3;
        List<int[]> found = new ArrayList<>();
        for (int code = 0; code < Math.pow(base, dimensions); code++) {
            int[] offset = new int[dimensions];
            for (int d = dimensions - 1, left = code; d >= 0; left /= base, d--) {
                offset[d] = left % base - 1;
            }
            long nonZero = Arrays.stream(offset).filter(step -> step != 0).count();
            if (nonZero > 0 && nonZero <= mostNonZero) {
                found.add(offset);
            }
        }
        return found.toArray(int[][]::new);
    }

    public ProcessGrid grid() {
        return grid;
    }

    /** Whose neighbours these are. */
    public int self() {
        return self;
    }

    /** Number of directions. */
    public int count() {
        return ranks.length;
    }

    public int rank(int direction) {
        return ranks[direction];
    }

    /** The steps of a direction along each dimension: -1, 0 or 1. */
    public int[] offset(int direction) {
        return offsets[direction].clone();
    }

    /** The direction from a neighbour back to this rank. */
    public int opposite(int direction) {
        return ranks.length - 1 - direction;
    }

    /** Every rank that is in some direction, once. */
    public int[] distinctRanks() {
        return Arrays.stream(ranks).distinct().toArray();
    }

    /** Directions from this rank to another, in ascending order; several on small grids, none to other ranks. */
    public int[] directionsTo(int rank) {
        return IntStream.range(0, ranks.length).filter(direction -> ranks[direction] == rank).toArray();
    }
}
