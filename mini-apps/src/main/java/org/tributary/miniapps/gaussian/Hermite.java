package org.tributary.miniapps.gaussian;

/**
 * Numbers of Hermite Gaussians, the derivatives of a spherical Gaussian t times along x, u along y and v along z, by
 * their degree {@code t + u + v}; and Coulomb integrals of them.
 */
final class Hermite {
    /** Of a product of two d functions. */
    static final int HIGHEST_OF_PAIR = 4;
    /** Of the product of two such products. */
    static final int HIGHEST = 2 * HIGHEST_OF_PAIR;
    /** How many there are up to the degree of a pair. */
    static final int MOST_OF_PAIR = count(HIGHEST_OF_PAIR);
    private static final int DIMENSIONS = 3;
    private static final int WIDTH = HIGHEST + 1;
    private static final int[] NUMBERS = new int[WIDTH * WIDTH * WIDTH];
    /** The dimension along which another one is derived to give this, that other one, and the one before it. */
    private static final int[] ALONG = new int[count(HIGHEST)];
    private static final int[] BEFORE = new int[count(HIGHEST)];
    private static final int[] BEFORE_THAT = new int[count(HIGHEST)];
    private static final double[] FACTOR = new double[count(HIGHEST)];
    /** Number of the sum of those of two pairs, the second's varying fastest, and the sign of the first. */
    private static final int[] SUMS = new int[MOST_OF_PAIR * MOST_OF_PAIR];
    private static final double[] SIGNS = new double[MOST_OF_PAIR];

    static {
        int number = 0;
        int[][] orders = new int[count(HIGHEST)][];
        for (int degree = 0; degree <= HIGHEST; degree++) {
            for (int t = degree; t >= 0; t--) {
                for (int u = degree - t; u >= 0; u--) {
                    orders[number] = new int[] {t, u, degree - t - u};
                    NUMBERS[place(t, u, degree - t - u)] = number;
                    number++;
                }
            }
        }
        for (int i = 1; i < number; i++) {
            describe(i, orders[i].clone());
        }
        for (int q = 0; q < MOST_OF_PAIR; q++) {
            SIGNS[q] = (orders[q][0] + orders[q][1] + orders[q][2]) % 2 == 0 ? 1 : -1;
            for (int p = 0; p < MOST_OF_PAIR; p++) {
                SUMS[q * MOST_OF_PAIR + p] = number(orders[p][0] + orders[q][0], orders[p][1] + orders[q][1],
                    orders[p][2] + orders[q][2]);
            }
        }
    }

    private final double[] boys = new double[Boys.HIGHEST + 1];
    private double[] current = new double[count(HIGHEST)];
    private double[] previous = new double[count(HIGHEST)];
    private final double[] distance = new double[DIMENSIONS];

    private static int place(int t, int u, int v) {
        return (t * WIDTH + u) * WIDTH + v;
    }

    private static void describe(int number, int[] order) {
        int along = 0;
        while (order[along] == 0) {
            along++;
        }
        order[along]--;
        ALONG[number] = along;
        FACTOR[number] = order[along];
        BEFORE[number] = number(order[0], order[1], order[2]);
        if (order[along] > 0) {
            order[along]--;
            BEFORE_THAT[number] = number(order[0], order[1], order[2]);
        }
    }

    /** How many there are up to a degree. */
    static int count(int degree) {
        return (degree + 1) * (degree + 2) * (degree + 3) / 6;
    }

    /** Number of one, from 0 on; all of a lower degree come before it. */
    static int number(int t, int u, int v) {
        return NUMBERS[place(t, u, v)];
    }

    /**
     * Derivatives of the Boys function of order 0 at {@code exponent * r^2}, up to a degree, by the number of the
     * Hermite Gaussian, times {@code scale}. The array is this object's and holds until the next call.
     */
    double[] coulomb(int degree, double exponent, double x, double y, double z, double scale) {
        Boys.evaluate(degree, exponent * (x * x + y * y + z * z), boys);
        if (degree == 0) {
            current[0] = scale * boys[0];
            return current;
        }
        distance[0] = x;
        distance[1] = y;
        distance[2] = z;
        double power = scale;
        for (int m = 0; m <= degree; m++) {
            boys[m] *= power;
            power *= -2 * exponent;
        }
        for (int m = degree; m >= 0; m--) {
            double[] higher = current;
            double[] own = previous;
            own[0] = boys[m];
            int count = count(degree - m);
            for (int i = 1; i < count; i++) {
                own[i] = FACTOR[i] * higher[BEFORE_THAT[i]] + distance[ALONG[i]] * higher[BEFORE[i]];
            }
            previous = higher;
            current = own;
        }
        return current;
    }

    /**
     * Spreads Coulomb integrals to a matrix: row q, of those of one pair, column p, of those of the other pair, holds
     * that of p + q with the sign of q.
     */
    static void spread(double[] coulomb, int rows, int columns, double[] matrix) {
        for (int q = 0; q < rows; q++) {
            double sign = SIGNS[q];
            int sums = q * MOST_OF_PAIR;
            int at = q * columns;
            for (int p = 0; p < columns; p++) {
                matrix[at + p] = sign * coulomb[SUMS[sums + p]];
            }
        }
    }
}
