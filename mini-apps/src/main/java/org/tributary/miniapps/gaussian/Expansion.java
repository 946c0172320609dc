package org.tributary.miniapps.gaussian;

/**
 * One dimension of the product of two Gaussians as a sum of Hermite Gaussians, without the factor that depends on the
 * distance of their centers: coefficient {@code E(i, j, t)} is that of the t-th derivative for powers i and j
 * (Helgaker, Jorgensen, Olsen, 9.5.6 and 9.5.7).
 */
final class Expansion {
    /** Highest power of the second Gaussian: of a d function, and two more for the kinetic energy. */
    static final int HIGHEST_SECOND = 4;
    private static final int HIGHEST_FIRST = 2;
    /** One more than the highest derivative, and a zero beyond. */
    private static final int DERIVATIVES = HIGHEST_FIRST + HIGHEST_SECOND + 2;

    private final double[] coefficients = new double[(HIGHEST_FIRST + 1) * (HIGHEST_SECOND + 1) * DERIVATIVES];

    /**
     * Computes all coefficients up to the powers {@code first} and {@code second}.
     *
     * @param fromFirst  center of the product, seen from that of the first Gaussian
     * @param fromSecond the same from that of the second
     * @param exponent   sum of both exponents
     */
    void set(int first, int second, double fromFirst, double fromSecond, double exponent) {
        coefficients[0] = 1;
        for (int t = 1; t < DERIVATIVES; t++) {
            coefficients[t] = 0;
        }
        for (int j = 0; j < second; j++) {
            raise(place(0, j), place(0, j + 1), fromSecond, exponent);
        }
        for (int i = 0; i < first; i++) {
            for (int j = 0; j <= second; j++) {
                raise(place(i, j), place(i + 1, j), fromFirst, exponent);
            }
        }
    }

    private static int place(int i, int j) {
        return (i * (HIGHEST_SECOND + 1) + j) * DERIVATIVES;
    }

    private void raise(int from, int to, double distance, double exponent) {
        double half = 0.5 / exponent;
        coefficients[to] = distance * coefficients[from] + coefficients[from + 1];
        for (int t = 1; t < DERIVATIVES - 1; t++) {
            coefficients[to + t] = half * coefficients[from + t - 1] + distance * coefficients[from + t]
                + (t + 1) * coefficients[from + t + 1];
        }
        coefficients[to + DERIVATIVES - 1] = 0;
    }

    /** A coefficient. */
    double at(int i, int j, int t) {
        return coefficients[place(i, j) + t];
    }
}
