package org.tributary.wire.shape;

/**
 * Loops of the reductions: {@code a[i] = a[i] op b[i]} for the first {@code n} elements, or pairs of real and imaginary
 * part. One loop a method, with nothing in it that differs from one iteration to the next, so that the compiler
 * vectorizes it: one method that is given the operation is 4 to 16 times slower. Sums and scales, which accumulates are
 * made of, have many elements in a loop apart from that for few, because one that the compiler has mostly seen with one
 * element is not vectorized: 4 MiB of it take two to three times as long. Complex scales are vectorized neither way.
 */
final class Kernels {
    private static final int MANY = 128;

    private Kernels() {
    }

    static void sum(int[] a, int[] b, int n) {
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            a[i] += b[i];
        }
        for (; i < n; i++) {
            a[i] += b[i];
        }
    }

    static void sum(long[] a, long[] b, int n) {
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            a[i] += b[i];
        }
        for (; i < n; i++) {
            a[i] += b[i];
        }
    }

    static void sum(float[] a, float[] b, int n) {
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            a[i] += b[i];
        }
        for (; i < n; i++) {
            a[i] += b[i];
        }
    }

    static void sum(double[] a, double[] b, int n) {
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            a[i] += b[i];
        }
        for (; i < n; i++) {
            a[i] += b[i];
        }
    }

    static void scale(int[] a, int scale, int n) {
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            a[i] *= scale;
        }
        for (; i < n; i++) {
            a[i] *= scale;
        }
    }

    static void scale(long[] a, long scale, int n) {
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            a[i] *= scale;
        }
        for (; i < n; i++) {
            a[i] *= scale;
        }
    }

    static void scale(float[] a, float scale, int n) {
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            a[i] *= scale;
        }
        for (; i < n; i++) {
            a[i] *= scale;
        }
    }

    static void scale(double[] a, double scale, int n) {
        int i = 0;
        for (; n >= MANY && i < n; i++) {
            a[i] *= scale;
        }
        for (; i < n; i++) {
            a[i] *= scale;
        }
    }

    static void scaleComplex(float[] a, float re, float im, int n) {
        for (int i = 0; i < n; i += 2) {
            float x = a[i];
            float y = a[i + 1];
            a[i] = re * x - im * y;
            a[i + 1] = re * y + im * x;
        }
    }

    static void scaleComplex(double[] a, double re, double im, int n) {
        for (int i = 0; i < n; i += 2) {
            double x = a[i];
            double y = a[i + 1];
            a[i] = re * x - im * y;
            a[i + 1] = re * y + im * x;
        }
    }

    static void multiply(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * b[i];
        }
    }

    static void multiply(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * b[i];
        }
    }

    static void multiply(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * b[i];
        }
    }

    static void multiply(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * b[i];
        }
    }

    static void min(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.min(a[i], b[i]);
        }
    }

    static void min(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.min(a[i], b[i]);
        }
    }

    static void min(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.min(a[i], b[i]);
        }
    }

    static void min(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.min(a[i], b[i]);
        }
    }

    static void max(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.max(a[i], b[i]);
        }
    }

    static void max(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.max(a[i], b[i]);
        }
    }

    static void max(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.max(a[i], b[i]);
        }
    }

    static void max(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.max(a[i], b[i]);
        }
    }

    static void logicalAnd(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] != 0 & b[i] != 0 ? 1 : 0;
        }
    }

    static void logicalAnd(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] != 0 & b[i] != 0 ? 1 : 0;
        }
    }

    static void logicalOr(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = (a[i] | b[i]) != 0 ? 1 : 0;
        }
    }

    static void logicalOr(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = (a[i] | b[i]) != 0 ? 1 : 0;
        }
    }

    static void logicalXor(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] != 0 ^ b[i] != 0 ? 1 : 0;
        }
    }

    static void logicalXor(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] != 0 ^ b[i] != 0 ? 1 : 0;
        }
    }

    static void and(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] & b[i];
        }
    }

    static void and(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] & b[i];
        }
    }

    static void or(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] | b[i];
        }
    }

    static void or(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] | b[i];
        }
    }

    static void xor(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] ^ b[i];
        }
    }

    static void xor(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] ^ b[i];
        }
    }

    static void multiplyComplex(float[] a, float[] b, int n) {
        for (int i = 0; i < 2 * n; i += 2) {
            float re = a[i] * b[i] - a[i + 1] * b[i + 1];
            a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
            a[i] = re;
        }
    }

    static void multiplyComplex(double[] a, double[] b, int n) {
        for (int i = 0; i < 2 * n; i += 2) {
            double re = a[i] * b[i] - a[i + 1] * b[i + 1];
            a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
            a[i] = re;
        }
    }
}
