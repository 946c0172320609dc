package org.tributary.miniapps.md;

/**
 * The equation of state of the Lennard-Jones fluid: J. K. Johnson, J. A. Zollweg, K. E. Gubbins, "The Lennard-Jones
 * equation of state revisited", Molecular Physics 78 (1993) 591, table 10.
 */
final class EquationOfState {
    private static final double DECAY = 3;
    /** Coefficients of powers of the density from 1 on: those of powers of the temperature in {@link #POWERS}. */
    private static final double[][] POLYNOMIAL = {
        {0.8623085097507421, 2.976218765822098, -8.402230115796038, 0.1054136629203555, -0.8564583828174598},
        {1.582759470107601, 0, 0.7639421948305453, 1.753173414312048, 2.798291772190376e3},
        {-4.8394220260857657e-2, 0, 0.9963265197721935, -3.698000291272493e1},
        {0, 0, 2.084012299434647e1},
        {0, 0, 0, 8.305402124717285e1, -9.574799715203068e2},
        {0, 0, 0, -1.477746229234994e2},
        {0, 0, 0, 6.398607852471505e1, 1.603993673294834e1},
        {0, 0, 0, 0, 6.805916615864377e1}};
    /** The same for even powers of the density times a Gaussian. */
    private static final double[][] GAUSSIAN = {
        {0, 0, 0, 0, -2.791293578795945e3, -6.245128304568454},
        {0, 0, 0, 0, -8.116836104958410e3, 0, 1.488735559561229e1},
        {0, 0, 0, 0, -1.059346754655084e4, -1.131607632802822e2},
        {0, 0, 0, 0, -8.867771540418822e3, 0, -3.986982844450543e1},
        {0, 0, 0, 0, -4.689270299917261e3, 2.593535277438717e2},
        {0, 0, 0, 0, -2.694523589434903e3, -7.218487631550215e2, 1.721802063863269e2}};
    private static final double[] POWERS = {1, 0.5, 0, -1, -2, -3, -4};

    private EquationOfState() {
    }

    /** Potential energy of an atom. */
    static double energy(double temperature, double density) {
        double energy = 0;
        for (int i = 0; i < POLYNOMIAL.length; i++) {
            energy += coefficient(POLYNOMIAL[i], temperature, true) * Math.pow(density, i + 1) / (i + 1);
        }
        double gauss = Math.exp(-DECAY * density * density);
        double integral = (1 - gauss) / (2 * DECAY);
        for (int i = 0; i < GAUSSIAN.length; i++) {
            energy += coefficient(GAUSSIAN[i], temperature, true) * integral;
            int power = 2 * (i + 1);
            integral = -(gauss * Math.pow(density, power) - power * integral) / (2 * DECAY);
        }
        return energy;
    }

    static double pressure(double temperature, double density) {
        double pressure = density * temperature;
        for (int i = 0; i < POLYNOMIAL.length; i++) {
            pressure += coefficient(POLYNOMIAL[i], temperature, false) * Math.pow(density, i + 2);
        }
        double gauss = Math.exp(-DECAY * density * density);
        for (int i = 0; i < GAUSSIAN.length; i++) {
            pressure += gauss * coefficient(GAUSSIAN[i], temperature, false) * Math.pow(density, 2 * i + 3);
        }
        return pressure;
    }

    /** Of the free energy A, or of the energy, which is A - T dA/dT: then each power p counts 1 - p times. */
    private static double coefficient(double[] terms, double temperature, boolean ofEnergy) {
        double sum = 0;
        for (int i = 0; i < terms.length; i++) {
            sum += terms[i] * Math.pow(temperature, POWERS[i]) * (ofEnergy ? 1 - POWERS[i] : 1);
        }
        return sum;
    }
}
