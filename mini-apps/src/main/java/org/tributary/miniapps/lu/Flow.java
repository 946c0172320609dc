package org.tributary.miniapps.lu;

/** Constants of the equations of a compressible fluid, and of their discretization. */
final class Flow {
    /** Numbers of a point: density, three momenta, energy. */
    static final int NUMBERS = 5;
    /** Where the energy is. */
    static final int ENERGY = 4;
    /** Pressure is so much of the internal energy: the ratio of specific heats less 1. */
    static final double PRESSURE = 0.4;
    static final double VISCOSITY = 0.1;
    /** Viscosity of the velocity along its own direction, as a multiple. */
    static final double NORMAL = 4.0 / 3;
    /** The conduction of heat as a multiple of the viscosity: ratio of specific heats times Prandtl's number. */
    static final double HEAT = 1.4 * 1.4;
    /** Artificial diffusion along x, y and z. */
    private static final double[] DIFFUSION = {0.75, 0.75, 1};
    static final double DIFFUSION_SUM = 0.75 + 0.75 + 1;
    /** The weight of fourth differences. */
    static final double DISSIPATION = 0.25;

    private Flow() {
    }

    static double diffusion(int dimension) {
        return DIFFUSION[dimension];
    }

    static double pressure(double[] u, int point) {
        int p = NUMBERS * point;
        double squares = u[p + 1] * u[p + 1] + u[p + 2] * u[p + 2] + u[p + 3] * u[p + 3];
        return PRESSURE * (u[p + ENERGY] - 0.5 * squares / u[p]);
    }
}
