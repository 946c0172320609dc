package org.tributary.globalarrays.kernel;

/** {@code c += a b} on tiles of floats, in the way of {@link DoubleKernel}. */
final class FloatKernel {
    /** The inner dimension must be a multiple of this. */
    static final int DEPTH_STEP = 4;
    /** The rows of {@code c} and {@code a} must be a multiple of this. */
    static final int ROW_STEP = 2;

    private FloatKernel() {
    }

    /** Adds the product of a {@code rows x depth} and a {@code depth x columns} tile. */
    static void multiplyAdd(float[][] c, float[][] a, float[][] b, int rows, int columns, int depth) {
        for (int k = 0; k < depth; k += DEPTH_STEP) {
            for (int i = 0; i < rows; i += ROW_STEP) {
                twoRows(c[i], c[i + 1], a[i], a[i + 1], k, b, columns);
            }
        }
    }

    private static void twoRows(float[] c0, float[] c1, float[] a0, float[] a1, int k, float[][] b, int columns) {
        float[] b0 = b[k];
        float[] b1 = b[k + 1];
        float[] b2 = b[k + 2];
        float[] b3 = b[k + 3];
        float p0 = a0[k];
        float p1 = a0[k + 1];
        float p2 = a0[k + 2];
        float p3 = a0[k + 3];
        float q0 = a1[k];
        float q1 = a1[k + 1];
        float q2 = a1[k + 2];
        float q3 = a1[k + 3];
        for (int j = 0; j < columns; j++) {
            float x0 = b0[j];
            float x1 = b1[j];
            float x2 = b2[j];
            float x3 = b3[j];
            c0[j] = c0[j] + p0 * x0 + p1 * x1 + p2 * x2 + p3 * x3;
            c1[j] = c1[j] + q0 * x0 + q1 * x1 + q2 * x2 + q3 * x3;
        }
    }
}
