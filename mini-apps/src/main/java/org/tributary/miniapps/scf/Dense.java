package org.tributary.miniapps.scf;

/** Small matrices on one rank, row by row. */
final class Dense {
    private Dense() {
    }

    /** Makes a square matrix half of the sum of itself and its transpose. */
    static void symmetrize(double[] matrix, int size) {
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < i; j++) {
                double mean = 0.5 * (matrix[i * size + j] + matrix[j * size + i]);
                matrix[i * size + j] = mean;
                matrix[j * size + i] = mean;
            }
        }
    }

    /** The sum of all products of elements at the same places. */
    static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    /** The sum of two matrices. */
    static double[] sum(double[] a, double[] b) {
        double[] sum = new double[a.length];
        for (int i = 0; i < a.length; i++) {
            sum[i] = a[i] + b[i];
        }
        return sum;
    }

    /** The largest absolute value. */
    static double largest(double[] matrix) {
        double largest = 0;
        for (double element : matrix) {
            largest = Math.max(largest, Math.abs(element));
        }
        return largest;
    }
}
