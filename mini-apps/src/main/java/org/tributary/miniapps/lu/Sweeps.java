package org.tributary.miniapps.lu;

/**
 * The two sweeps of symmetric successive over-relaxation, plane by plane along z. Each point solves with its own 5 x 5
 * block, after it has subtracted the blocks of the three neighbours before it times what those have found.
 *
 * <p>Blocks are never built: the product of a neighbour's block is the linearized flux, and the own block is lower
 * triangular, because viscosity couples momenta and energy with the density only.
 */
final class Sweeps {
    private static final double OVER_RELAXATION = 1.2;

    private final Box box;
    private final Mail mail;
    private final double advection;
    private final double diffusion;
    private final double ownPlain;
    private final double ownViscous;
    private final double ownKinetic;
    private final double ownHeat;
    private final double[] sum = new double[Flow.NUMBERS];

    Sweeps(Box box, Operator operator, double timeStep, Mail mail) {
        this.box = box;
        this.mail = mail;
        advection = timeStep * operator.advection();
        diffusion = timeStep * operator.diffusion();
        ownPlain = 1 + 2 * diffusion * Flow.DIFFUSION_SUM;
        ownViscous = 2 * diffusion * Flow.VISCOSITY * (Flow.NORMAL + 2);
        ownHeat = 2 * diffusion * Flow.VISCOSITY * 3 * Flow.HEAT;
        ownKinetic = ownViscous - ownHeat;
    }

    /** Factor with which the result of the sweeps is added to the solution. */
    static double share() {
        return 1 / (OVER_RELAXATION * (2 - OVER_RELAXATION));
    }

    /** From the first plane to the last: the lower triangle. */
    void lower(double[] u, double[] inverse, double[] v) {
        for (int z = box.low(2); z < box.high(2); z++) {
            mail.receiveFromBelow(v, z);
            for (int y = box.low(1); y < box.high(1); y++) {
                for (int x = box.low(0); x < box.high(0); x++) {
                    int at = box.at(x, y, z);
                    sumNeighbours(u, inverse, v, at, -1);
                    int p = Flow.NUMBERS * at;
                    for (int m = 0; m < Flow.NUMBERS; m++) {
                        sum[m] = v[p + m] - OVER_RELAXATION * sum[m];
                    }
                    solve(u, p, inverse[at]);
                    System.arraycopy(sum, 0, v, p, Flow.NUMBERS);
                }
            }
            mail.sendUp(v, z);
        }
    }

    /** From the last plane to the first: the upper triangle. */
    void upper(double[] u, double[] inverse, double[] v) {
        for (int z = box.high(2) - 1; z >= box.low(2); z--) {
            mail.receiveFromAbove(v, z);
            for (int y = box.high(1) - 1; y >= box.low(1); y--) {
                for (int x = box.high(0) - 1; x >= box.low(0); x--) {
                    int at = box.at(x, y, z);
                    sumNeighbours(u, inverse, v, at, 1);
                    int p = Flow.NUMBERS * at;
                    solve(u, p, inverse[at]);
                    for (int m = 0; m < Flow.NUMBERS; m++) {
                        v[p + m] -= OVER_RELAXATION * sum[m];
                    }
                }
            }
            mail.sendDown(v, z);
        }
    }

    private void sumNeighbours(double[] u, double[] inverse, double[] v, int at, int side) {
        sum[0] = 0;
        sum[1] = 0;
        sum[2] = 0;
        sum[3] = 0;
        sum[4] = 0;
        int next = at + side * box.stride(2);
        add(u, inverse[next], v, next, 2, side * advection);
        next = at + side * box.stride(1);
        add(u, inverse[next], v, next, 1, side * advection);
        next = at + side;
        add(u, inverse[next], v, next, 0, side * advection);
    }

    /** Adds the product of a neighbour's block and its part of {@code v}. */
    private void add(double[] u, double inverse, double[] v, int at, int dimension, double advect) {
        int p = Flow.NUMBERS * at;
        double velocity1 = u[p + 1] * inverse;
        double velocity2 = u[p + 2] * inverse;
        double velocity3 = u[p + 3] * inverse;
        double normal = u[p + 1 + dimension] * inverse;
        double energy = u[p + 4] * inverse;
        double density = v[p];
        double kinetic = 0.5 * (velocity1 * velocity1 + velocity2 * velocity2 + velocity3 * velocity3);
        double pressure = Flow.PRESSURE * (kinetic * density - velocity1 * v[p + 1] - velocity2 * v[p + 2]
            - velocity3 * v[p + 3] + v[p + 4]);
        double enthalpy = (1 + Flow.PRESSURE) * energy - Flow.PRESSURE * kinetic;
        double flux = v[p + 1 + dimension] - normal * density; // of mass, as the normal velocity changes
        double plain = advect * normal - diffusion * Flow.diffusion(dimension);
        double viscous = diffusion * Flow.VISCOSITY * inverse;
        double change1 = v[p + 1] - velocity1 * density;
        double change2 = v[p + 2] - velocity2 * density;
        double change3 = v[p + 3] - velocity3 * density;
        sum[0] += advect * v[p + 1 + dimension] - diffusion * Flow.diffusion(dimension) * density;
        sum[1] += plain * v[p + 1] + advect * velocity1 * flux - viscous * change1;
        sum[2] += plain * v[p + 2] + advect * velocity2 * flux - viscous * change2;
        sum[3] += plain * v[p + 3] + advect * velocity3 * flux - viscous * change3;
        sum[1 + dimension] += advect * pressure - viscous * (Flow.NORMAL - 1) * flux;
        sum[4] += plain * v[p + 4] + advect * (normal * pressure + enthalpy * flux)
            - viscous * ((1 - Flow.HEAT) * (velocity1 * change1 + velocity2 * change2 + velocity3 * change3)
                + (Flow.NORMAL - 1) * normal * flux + Flow.HEAT * (v[p + 4] - energy * density));
    }

    /** Solves the own block for the sum. */
    private void solve(double[] u, int p, double inverse) {
        double momentum = ownViscous * inverse;
        double heat = ownHeat * inverse;
        double density = sum[0] / ownPlain;
        double byMomentum = 1 / (ownPlain + momentum);
        double work = 0;
        for (int m = 1; m <= Box.DIMENSIONS; m++) {
            double velocity = u[p + m] * inverse;
            sum[m] = (sum[m] + momentum * velocity * density) * byMomentum;
            work += velocity * (sum[m] - velocity * density);
        }
        sum[0] = density;
        sum[4] = (sum[4] - ownKinetic * inverse * work + heat * u[p + 4] * inverse * density) / (ownPlain + heat);
    }
}
