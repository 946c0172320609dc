package org.tributary.miniapps.md;

import org.tributary.miniapps.exchange.ProcessGrid;

/** The part of the cube that a rank has; all parts are of the same size. Atoms just outside matter to it as ghosts. */
final class Brick {
    private static final int DIMENSIONS = Configuration.DIMENSIONS;

    private final double[] low = new double[DIMENSIONS];
    private final double[] high = new double[DIMENSIONS];
    private final double[] extents = new double[DIMENSIONS];
    private final double halo;

    /** {@code halo}: how far away atoms matter. */
    Brick(ProcessGrid grid, int rank, double edge, double halo) {
        this.halo = halo;
        int[] place = grid.coordinates(rank);
        for (int d = 0; d < DIMENSIONS; d++) {
            low[d] = edge * place[d] / grid.extent(d);
            high[d] = edge * (place[d] + 1) / grid.extent(d);
            extents[d] = edge / grid.extent(d);
        }
    }

    /** The grid of so many ranks. */
    static ProcessGrid grid(int ranks) {
        return ProcessGrid.of(ranks, DIMENSIONS);
    }

    /** Length of the shortest side with so many ranks: ghosts come from the next brick alone, so it is no shorter. */
    static double shortest(double edge, int ranks) {
        return edge / grid(ranks).extent(0);
    }

    double low(int dimension) {
        return low[dimension];
    }

    /** To the last bit the same on all ranks, which the difference of the ends is not. */
    double extent(int dimension) {
        return extents[dimension];
    }

    double halo() {
        return halo;
    }

    /** In which direction along a dimension a position lies outside: -1, 0 or 1. */
    int side(double position, int dimension) {
        return position < low[dimension] ? -1 : position >= high[dimension] ? 1 : 0;
    }

    /** Whether a position inside matters to the neighbour in a direction along a dimension. */
    boolean isNear(double position, int dimension, int direction) {
        return direction == 0 || (direction < 0 ? position < low[dimension] + halo
            : position >= high[dimension] - halo);
    }
}
