package org.tributary.miniapps.lu;

/** The polynomials that solve the problem, and the first guess that is made of their boundary values. */
final class ExactSolution {
    /** Of each equation: constant; then x, y, z in the first power, the second, the third, the fourth. */
    private static final double[][] COEFFICIENTS = {
        {2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
        {1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
        {2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
        {2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
        {5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
    };
    private static final int POWERS = 4;

    private final double last;

    /** For so many points along each dimension. */
    ExactSolution(int points) {
        last = points - 1;
    }

    /** A number of a point, by the point's place in the whole grid. */
    double value(int m, double x, double y, double z) {
        double[] c = COEFFICIENTS[m];
        double value = c[0];
        double powerX = 1;
        double powerY = 1;
        double powerZ = 1;
        for (int power = 0; power < POWERS; power++) {
            powerX *= x / last;
            powerY *= y / last;
            powerZ *= z / last;
            value += c[3 * power + 1] * powerX + c[3 * power + 2] * powerY + c[3 * power + 3] * powerZ;
        }
        return value;
    }

    /** The transfinite interpolation of the boundary values. */
    double guess(int m, int x, int y, int z) {
        double alongX = between(x / last, value(m, 0, y, z), value(m, last, y, z));
        double alongY = between(y / last, value(m, x, 0, z), value(m, x, last, z));
        double alongZ = between(z / last, value(m, x, y, 0), value(m, x, y, last));
        return alongX + alongY + alongZ - alongX * alongY - alongY * alongZ - alongZ * alongX
            + alongX * alongY * alongZ;
    }

    private static double between(double share, double first, double second) {
        return (1 - share) * first + share * second;
    }
}
