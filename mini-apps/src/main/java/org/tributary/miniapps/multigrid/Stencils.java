package org.tributary.miniapps.multigrid;

/**
 * The four operators of the V-cycle, each a stencil of 27 points. They sum first over the neighbours of a row in the
 * four rows beside it, and in the four rows at its edges; the stencil of a point then has three of each sum.
 */
final class Stencils {
    private static final double OPERATOR_OWN = -8.0 / 3;
    private static final double OPERATOR_EDGE = 1.0 / 6;
    private static final double OPERATOR_CORNER = 1.0 / 12;

    private Stencils() {
    }

    /** Sets {@code r = v - A u} at points that are no ghosts; {@code v} may be {@code r}. */
    static void residual(Grid u, Grid v, Grid r) {
        int width = u.extentX() + 2;
        double[] faces = new double[width];
        double[] edges = new double[width];
        for (int z = 0; z < u.extentZ(); z++) {
            for (int y = 0; y < u.extentY(); y++) {
                sumFaces(u, z, y, faces);
                sumEdges(u, z, y, edges);
                residual(u.row(z, y), faces, edges, v.row(z, y), r.row(z, y));
            }
        }
    }

    /** The operator has no weight for neighbours at faces. */
    private static void residual(double[] u, double[] faces, double[] edges, double[] v, double[] r) {
        for (int x = 1; x < u.length - 1; x++) {
            r[x] = v[x] - OPERATOR_OWN * u[x] - OPERATOR_EDGE * (edges[x] + faces[x - 1] + faces[x + 1])
                - OPERATOR_CORNER * (edges[x - 1] + edges[x + 1]);
        }
    }

    /** Adds the smoothed {@code r} to {@code u} at points that are no ghosts. */
    static void smooth(Smoother smoother, Grid r, Grid u) {
        int width = u.extentX() + 2;
        double[] faces = new double[width];
        double[] edges = new double[width];
        for (int z = 0; z < u.extentZ(); z++) {
            for (int y = 0; y < u.extentY(); y++) {
                sumFaces(r, z, y, faces);
                sumEdges(r, z, y, edges);
                smooth(smoother, r.row(z, y), faces, edges, u.row(z, y));
            }
        }
    }

    private static void smooth(Smoother smoother, double[] r, double[] faces, double[] edges, double[] u) {
        double own = smoother.own();
        double face = smoother.face();
        double edge = smoother.edge();
        for (int x = 1; x < r.length - 1; x++) {
            u[x] += own * r[x] + face * (r[x - 1] + r[x + 1] + faces[x])
                + edge * (edges[x] + faces[x - 1] + faces[x + 1]);
        }
    }

    /** Sets the points of the next coarser grid, which are every second of the finer one: means with weights. */
    static void restrict(Grid fine, Grid coarse) {
        double[] faces = new double[fine.extentX() + 2];
        double[] edges = new double[fine.extentX() + 2];
        for (int z = 0; z < coarse.extentZ(); z++) {
            for (int y = 0; y < coarse.extentY(); y++) {
                sumFaces(fine, 2 * z + 1, 2 * y + 1, faces);
                sumEdges(fine, 2 * z + 1, 2 * y + 1, edges);
                restrict(fine.row(2 * z + 1, 2 * y + 1), faces, edges, coarse.row(z, y));
            }
        }
    }

    private static void restrict(double[] fine, double[] faces, double[] edges, double[] coarse) {
        for (int c = 1; c < coarse.length - 1; c++) {
            int x = 2 * c;
            coarse[c] = 0.5 * fine[x] + 0.25 * (fine[x - 1] + fine[x + 1] + faces[x])
                + 0.125 * (faces[x - 1] + faces[x + 1] + edges[x]) + 0.0625 * (edges[x - 1] + edges[x + 1]);
        }
    }

    /**
     * Adds the trilinear interpolation of a coarser grid, at all points, ghosts too.
     *
     * @param start where the finer grid begins within the box of twice as many points that the coarser one covers
     */
    static void interpolate(Grid coarse, Grid fine, int... start) {
        double[] between = new double[coarse.extentX() + 2];
        for (int z = -1; z <= fine.extentZ(); z++) {
            int below = (start[0] + z - 1) >> 1; // the same as above when the planes coincide
            int above = (start[0] + z) >> 1;
            for (int y = -1; y <= fine.extentY(); y++) {
                int left = (start[1] + y - 1) >> 1;
                int right = (start[1] + y) >> 1;
                mean(coarse.row(below, left), coarse.row(below, right), coarse.row(above, left),
                    coarse.row(above, right), between);
                interpolate(between, fine.row(z, y), start[2]);
            }
        }
    }

    /** Of four rows, of which two or all are the same where the row lies between two only, or on one. */
    private static void mean(double[] a, double[] b, double[] c, double[] d, double[] result) {
        for (int x = 0; x < result.length; x++) {
            result[x] = 0.25 * (a[x] + b[x] + (c[x] + d[x]));
        }
    }

    /** Every second point stands on one of the coarser grid, the others between two. */
    private static void interpolate(double[] coarse, double[] fine, int start) {
        int x = start & 1;
        int c = start >> 1;
        if (x == 1) {
            fine[0] += 0.5 * (coarse[c] + coarse[c + 1]);
            c++;
        }
        for (; x < fine.length - 1; x += 2) {
            fine[x] += coarse[c];
            fine[x + 1] += 0.5 * (coarse[c] + coarse[c + 1]);
            c++;
        }
        if (x < fine.length) {
            fine[x] += coarse[c];
        }
    }

    private static void sumFaces(Grid grid, int z, int y, double[] sums) {
        sum(grid.row(z, y - 1), grid.row(z, y + 1), grid.row(z - 1, y), grid.row(z + 1, y), sums);
    }

    private static void sumEdges(Grid grid, int z, int y, double[] sums) {
        sum(grid.row(z - 1, y - 1), grid.row(z - 1, y + 1), grid.row(z + 1, y - 1), grid.row(z + 1, y + 1), sums);
    }

    private static void sum(double[] a, double[] b, double[] c, double[] d, double[] sums) {
        for (int x = 0; x < sums.length; x++) {
            sums[x] = a[x] + b[x] + c[x] + d[x];
        }
    }
}
