package org.tributary.miniapps.lu;

import org.tributary.miniapps.exchange.ProcessGrid;

/**
 * The pencil of one rank: a part of the points along x and y, and all along z, with two layers of ghost points on each
 * side. Dimensions are x, y, z. Points of the box are counted from 0 along each. Immutable.
 */
final class Box {
    static final int DIMENSIONS = 3;
    static final int GHOSTS = 2;

    private final int points;
    private final int[] start = new int[DIMENSIONS];
    private final int[] extent = new int[DIMENSIONS];
    private final int[] stride = new int[DIMENSIONS];
    private final int size;

    /** That of a rank in a grid of processes, y by x, of {@code points} along each dimension. */
    Box(int points, ProcessGrid processes, int rank) {
        this.points = points;
        int[] place = processes.coordinates(rank);
        int total = 1;
        for (int d = 0; d < DIMENSIONS; d++) {
            int parts = d == 2 ? 1 : processes.extent(1 - d);
            int part = d == 2 ? 0 : place[1 - d];
            start[d] = start(points, part, parts);
            extent[d] = start(points, part + 1, parts) - start[d];
            stride[d] = total;
            total = Math.multiplyExact(total, extent[d] + 2 * GHOSTS);
        }
        size = total;
    }

    /** Where a part of the points along a dimension begins. */
    static int start(int points, int part, int parts) {
        return points * part / parts;
    }

    /** Points of the whole grid along each dimension. */
    int points() {
        return points;
    }

    /** Points of the box, ghosts included: one more than the largest number of a point. */
    int size() {
        return size;
    }

    /** Where the box begins in the whole grid. */
    int start(int dimension) {
        return start[dimension];
    }

    int extent(int dimension) {
        return extent[dimension];
    }

    /** By how much the numbers of neighbours along a dimension differ. */
    int stride(int dimension) {
        return stride[dimension];
    }

    /** The number of a point. */
    int at(int x, int y, int z) {
        return (x + GHOSTS) + (y + GHOSTS) * stride[1] + (z + GHOSTS) * stride[2];
    }

    /** The first point along a dimension that is not on the boundary of the whole grid. */
    int low(int dimension) {
        return start[dimension] == 0 ? 1 : 0;
    }

    /** The one after the last. */
    int high(int dimension) {
        return start[dimension] + extent[dimension] == points ? extent[dimension] - 1 : extent[dimension];
    }

    /** Something done with a point, by its number and its place in the whole grid. */
    interface PointAction {
        void accept(int at, int x, int y, int z);
    }

    /** All points that are not on the boundary of the whole grid. */
    void forEachInner(PointAction action) {
        for (int z = low(2); z < high(2); z++) {
            for (int y = low(1); y < high(1); y++) {
                for (int x = low(0); x < high(0); x++) {
                    action.accept(at(x, y, z), start[0] + x, start[1] + y, z);
                }
            }
        }
    }

    /** All points, and those ghosts that are points of the whole grid. */
    void forEach(PointAction action) {
        for (int z = 0; z < extent[2]; z++) {
            for (int y = -GHOSTS; y < extent[1] + GHOSTS; y++) {
                for (int x = -GHOSTS; x < extent[0] + GHOSTS; x++) {
                    if (isPoint(start[0] + x) && isPoint(start[1] + y)) {
                        action.accept(at(x, y, z), start[0] + x, start[1] + y, z);
                    }
                }
            }
        }
    }

    private boolean isPoint(int place) {
        return place >= 0 && place < points;
    }
}
