package org.tributary.miniapps.multigrid;

import java.util.Arrays;

/**
 * Numbers at the points of a box, with a layer of ghost points around it. A row, of points along x, is an array of its
 * own: loops over whole rows have the same index everywhere and are compiled to vector instructions. Ghost points have
 * the numbers -1 and that of points; x stands at index x + 1 of its row.
 */
final class Grid {
    private final int extentZ;
    private final int extentY;
    private final int extentX;
    private final double[][] rows;

    /** All zero. */
    Grid(int... extents) {
        extentZ = extents[0];
        extentY = extents[1];
        extentX = extents[2];
        rows = new double[(extentZ + 2) * (extentY + 2)][extentX + 2];
    }

    /** Points along z, without ghosts. */
    int extentZ() {
        return extentZ;
    }

    /** Points along y, without ghosts. */
    int extentY() {
        return extentY;
    }

    /** Points along x, without ghosts. */
    int extentX() {
        return extentX;
    }

    double[] row(int z, int y) {
        return rows[(z + 1) * (extentY + 2) + y + 1];
    }

    void zero() {
        for (double[] row : rows) {
            Arrays.fill(row, 0);
        }
    }

    /** The sum of the squares of all points that are no ghosts. */
    double sumOfSquares() {
        double sum = 0;
        for (int z = 0; z < extentZ; z++) {
            for (int y = 0; y < extentY; y++) {
                double[] row = row(z, y);
                for (int x = 1; x <= extentX; x++) {
                    sum += row[x] * row[x];
                }
            }
        }
        return sum;
    }
}
