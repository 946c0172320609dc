package org.tributary.miniapps.md;

/**
 * The short-ranged part of Coulomb's law in an Ewald sum, erfc(a r) / r, from a table over the square of the distance.
 * Between the places of the table it is a cubic, and the force is the derivative of that, so energy is conserved.
 */
final class ShortRange {
    private static final int PLACES = 4096;
    /** No atoms come closer than half a diameter: the Lennard-Jones potential is 16000 there. */
    private static final double NEAREST = 0.25;
    /** Where the series of the error function gives way to its continued fraction. */
    private static final double SERIES_END = 2;
    private static final int TERMS = 60;

    private final double step;
    private final double[] energies = new double[PLACES + 1];
    private final double[] slopes = new double[PLACES + 1];

    /** {@code split}: how fast it vanishes, the a above. */
    ShortRange(double split, double cutoff) {
        step = (cutoff * cutoff - NEAREST) / PLACES;
        for (int i = 0; i <= PLACES; i++) {
            double squared = NEAREST + i * step;
            double distance = Math.sqrt(squared);
            energies[i] = erfc(split * distance) / distance;
            slopes[i] = -(energies[i] + 2 * split / Math.sqrt(Math.PI) * Math.exp(-split * split * squared))
                / (2 * squared);
        }
    }

    /** Energy of two unit charges, at the square of a distance. */
    double energy(double squared) {
        int i = place(squared);
        double t = (squared - NEAREST) / step - i;
        double rise = energies[i + 1] - energies[i];
        double left = step * slopes[i] - rise;
        double right = rise - step * slopes[i + 1];
        return energies[i] + t * (rise + (1 - t) * (left * (1 - t) + right * t));
    }

    /** Their force divided by the distance. */
    double force(double squared) {
        int i = place(squared);
        double t = (squared - NEAREST) / step - i;
        double rise = energies[i + 1] - energies[i];
        double left = step * slopes[i] - rise;
        double right = rise - step * slopes[i + 1];
        double slope = rise + (1 - 2 * t) * (left * (1 - t) + right * t) + t * (1 - t) * (right - left);
        return -2 * slope / step;
    }

    private int place(double squared) {
        return Math.clamp((int) ((squared - NEAREST) / step), 0, PLACES - 1);
    }

    /**
     * The complementary error function of what is not negative, to about 14 digits: M. Abramowitz and I. Stegun,
     * "Handbook of Mathematical Functions" (1964), 7.1.6 and 7.1.14.
     */
    static double erfc(double x) {
        double gauss = Math.exp(-x * x) / Math.sqrt(Math.PI);
        if (x < SERIES_END) {
            double term = x;
            double sum = x;
            for (int n = 1; n < TERMS; n++) {
                term *= 2 * x * x / (2 * n + 1);
                sum += term;
            }
            return 1 - 2 * gauss * sum;
        }
        double fraction = x;
        for (int n = TERMS; n > 0; n--) {
            fraction = x + n / 2.0 / fraction;
        }
        return gauss / fraction;
    }
}
