package org.tributary.miniapps.lu;

/**
 * The steady equations, discretized: central differences of the fluxes, second differences for viscosity and artificial
 * diffusion, fourth differences for dissipation, whose stencils are cut off at the boundary.
 *
 * <p>As everything viscous is linear in differences, the contribution of a neighbour is a sum over that neighbour's
 * numbers alone, so points are visited once, without fluxes at faces between them.
 */
final class Operator {
    private static final double[] INNER = {1, -4, 6, -4, 1};
    private static final double[] FIRST = {0, 0, 5, -4, 1};
    private static final double[] SECOND = {0, -4, 6, -4, 1};
    private static final double[] LAST_BUT_ONE = {1, -4, 6, -4, 0};
    private static final double[] LAST = {1, -4, 5, 0, 0};
    private static final double KINETIC = 0.5 * (1 - Flow.HEAT);
    private static final double KINETIC_NORMAL = 1.0 / 6;

    private final Box box;
    private final double advection;
    private final double diffusion;
    private final double[][] dissipation;
    private final double[] sum = new double[Flow.NUMBERS];

    Operator(Box box) {
        this.box = box;
        int last = box.points() - 1;
        advection = 0.5 * last;
        diffusion = (double) last * last;
        dissipation = new double[box.points()][];
        for (int place = 1; place < last; place++) {
            dissipation[place] = place == 1 ? FIRST : place == 2 ? SECOND : place == last - 2 ? LAST_BUT_ONE
                : place == last - 1 ? LAST : INNER;
        }
    }

    /** Factor of first derivatives, which the time step multiplies: half of one by the distance of points. */
    double advection() {
        return advection;
    }

    /** Factor of second derivatives, which the time step multiplies: one by the square of the distance. */
    double diffusion() {
        return diffusion;
    }

    /** Sets {@code result} to the operator of {@code u} less {@code subtracted}, at points inside the boundary. */
    void apply(double[] u, double[] inverse, double[] subtracted, double[] result) {
        for (int z = box.low(2); z < box.high(2); z++) {
            for (int y = box.low(1); y < box.high(1); y++) {
                applyToRow(u, inverse, subtracted, result, y, z);
            }
        }
    }

    private void applyToRow(double[] u, double[] inverse, double[] subtracted, double[] result, int y, int z) {
        double[] alongY = dissipation[box.start(1) + y];
        double[] alongZ = dissipation[z];
        int strideY = box.stride(1);
        int strideZ = box.stride(2);
        for (int x = box.low(0); x < box.high(0); x++) {
            int at = box.at(x, y, z);
            addOwn(u, at, inverse[at]);
            addNeighbours(u, inverse, at, 0, 1);
            addNeighbours(u, inverse, at, 1, strideY);
            addNeighbours(u, inverse, at, 2, strideZ);
            dissipate(u, at, 1, dissipation[box.start(0) + x]);
            dissipate(u, at, strideY, alongY);
            dissipate(u, at, strideZ, alongZ);
            int p = Flow.NUMBERS * at;
            for (int m = 0; m < Flow.NUMBERS; m++) {
                result[p + m] = sum[m] - subtracted[p + m];
            }
        }
    }

    /** Sets the sum to the middle of the second differences of all dimensions. */
    private void addOwn(double[] u, int at, double inverse) {
        int p = Flow.NUMBERS * at;
        double factor = -2 * diffusion;
        double viscous = factor * Flow.VISCOSITY;
        double plain = factor * Flow.DIFFUSION_SUM;
        double velocity1 = u[p + 1] * inverse;
        double velocity2 = u[p + 2] * inverse;
        double velocity3 = u[p + 3] * inverse;
        double squares = velocity1 * velocity1 + velocity2 * velocity2 + velocity3 * velocity3;
        double momentum = viscous * (Flow.NORMAL + 2) * inverse;
        sum[0] = plain * u[p];
        sum[1] = (plain + momentum) * u[p + 1];
        sum[2] = (plain + momentum) * u[p + 2];
        sum[3] = (plain + momentum) * u[p + 3];
        sum[4] = plain * u[p + 4] + viscous
            * ((3 * KINETIC + KINETIC_NORMAL) * squares + 3 * Flow.HEAT * u[p + 4] * inverse);
    }

    private void addNeighbours(double[] u, double[] inverse, int at, int dimension, int stride) {
        addNeighbour(u, at - stride, inverse[at - stride], dimension, advection);
        addNeighbour(u, at + stride, inverse[at + stride], dimension, -advection);
    }

    private void addNeighbour(double[] u, int at, double inverse, int dimension, double advect) {
        int p = Flow.NUMBERS * at;
        double viscous = diffusion * Flow.VISCOSITY;
        double plain = diffusion * Flow.diffusion(dimension);
        double velocity1 = u[p + 1] * inverse;
        double velocity2 = u[p + 2] * inverse;
        double velocity3 = u[p + 3] * inverse;
        double squares = velocity1 * velocity1 + velocity2 * velocity2 + velocity3 * velocity3;
        double normal = u[p + 1 + dimension] * inverse;
        double pressure = Flow.PRESSURE * (u[p + 4] - 0.5 * u[p] * squares);
        double momentum = plain + viscous * inverse + advect * normal;
        sum[0] += (plain + advect * normal) * u[p];
        sum[1] += momentum * u[p + 1];
        sum[2] += momentum * u[p + 2];
        sum[3] += momentum * u[p + 3];
        sum[1 + dimension] += advect * pressure + viscous * (Flow.NORMAL - 1) * normal;
        sum[4] += plain * u[p + 4] + advect * normal * (u[p + 4] + pressure)
            + viscous * (KINETIC * squares + KINETIC_NORMAL * normal * normal + Flow.HEAT * u[p + 4] * inverse);
    }

    private void dissipate(double[] u, int at, int stride, double[] weights) {
        int p = Flow.NUMBERS * at;
        int step = Flow.NUMBERS * stride;
        for (int m = 0; m < Flow.NUMBERS; m++) {
            sum[m] -= Flow.DISSIPATION * (weights[0] * u[p - 2 * step + m] + weights[1] * u[p - step + m]
                + weights[2] * u[p + m] + weights[3] * u[p + step + m] + weights[4] * u[p + 2 * step + m]);
        }
    }
}
