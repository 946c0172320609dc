package org.tributary.miniapps.multigrid;

import org.tributary.client.Gas;
import org.tributary.miniapps.exchange.ExchangeOptions;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;

/** One grid of the hierarchy: this rank's box of it, or, on a grid too coarse for all ranks, the whole. */
final class Level implements AutoCloseable {
    private static final int DIMENSIONS = 3;

    private final int[] extents = new int[DIMENSIONS];
    private final int[] start = new int[DIMENSIONS];
    private final Grid solution;
    private final Grid residual;
    private final GhostPoints ghosts;

    private Level(Gas gas, ExchangeOptions options, Neighbourhood neighbourhood, int pointsAlong) {
        int[] place = neighbourhood.grid().coordinates(neighbourhood.self());
        for (int d = 0; d < DIMENSIONS; d++) {
            extents[d] = pointsAlong / neighbourhood.grid().extent(d);
            start[d] = place[d] * extents[d];
        }
        solution = new Grid(extents);
        residual = new Grid(extents);
        ghosts = new GhostPoints(gas, options, neighbourhood, extents);
    }

    /** Whether each rank of a grid of processes gets points. */
    static boolean fits(int pointsAlong, ProcessGrid processes) {
        return pointsAlong >= processes.extent(0); // the largest
    }

    /** This rank's box; collective. */
    static Level distributed(Gas gas, ExchangeOptions options, Neighbourhood neighbourhood, int pointsAlong) {
        return new Level(gas, options, neighbourhood, pointsAlong);
    }

    /** The whole grid, on each rank by itself. */
    static Level whole(Gas gas, ExchangeOptions options, int pointsAlong) {
        return new Level(gas, options, Neighbourhood.all(ProcessGrid.of(1, DIMENSIONS), 0), pointsAlong);
    }

    Grid solution() {
        return solution;
    }

    Grid residual() {
        return residual;
    }

    /** Points of the box along each dimension: z, y, x. */
    int[] extents() {
        return extents.clone();
    }

    /** Where the box begins in the whole grid. */
    int[] start() {
        return start.clone();
    }

    /** Fills the ghost points of a grid of this level. */
    void exchange(Grid grid) {
        ghosts.fill(grid);
    }

    @Override
    public void close() {
        ghosts.close();
    }
}
