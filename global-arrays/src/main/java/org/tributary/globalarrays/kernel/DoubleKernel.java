package org.tributary.globalarrays.kernel;

/**
 * {@code c += a b} on tiles of doubles kept as arrays of rows. Two rows of {@code c} meet four rows of {@code b} at a
 * time, so each element of {@code b} that is loaded serves two products and each of {@code c} four. All arrays run with
 * the same plain index in the inner loop, which is what lets C2 prove that they do not overlap and use vectors.
 */
final class DoubleKernel {
    /** The inner dimension must be a multiple of this. */
    static final int DEPTH_STEP = 4;
    /** The rows of {@code c} and {@code a} must be a multiple of this. */
    static final int ROW_STEP = 2;

    private DoubleKernel() {
    }

    /** Adds the product of a {@code rows x depth} and a {@code depth x columns} tile. */
    static void multiplyAdd(double[][] c, double[][] a, double[][] b, int rows, int columns, int depth) {
        for (int k = 0; k < depth; k += DEPTH_STEP) {
            for (int i = 0; i < rows; i += ROW_STEP) {
                twoRows(c[i], c[i + 1], a[i], a[i + 1], k, b, columns);
            }
        }
    }

    private static void twoRows(double[] c0, double[] c1, double[] a0, double[] a1, int k, double[][] b, int columns) {
        double[] b0 = b[k];
        double[] b1 = b[k + 1];
        double[] b2 = b[k + 2];
        double[] b3 = b[k + 3];
        double p0 = a0[k];
        double p1 = a0[k + 1];
        double p2 = a0[k + 2];
        double p3 = a0[k + 3];
        double q0 = a1[k];
        double q1 = a1[k + 1];
        double q2 = a1[k + 2];
        double q3 = a1[k + 3];
        for (int j = 0; j < columns; j++) {
            double x0 = b0[j];
            double x1 = b1[j];
            double x2 = b2[j];
            double x3 = b3[j];
            c0[j] = c0[j] + p0 * x0 + p1 * x1 + p2 * x2 + p3 * x3;
            c1[j] = c1[j] + q0 * x0 + q1 * x1 + q2 * x2 + q3 * x3;
        }
    }
}
