package org.tributary.miniapps.md;

import java.util.SplittableRandom;

/**
 * All atoms of a periodic cube. Every rank makes the same one, whatever the layout, and takes its own atoms from it.
 * An atom's number is its index.
 */
final class Configuration {
    static final int DIMENSIONS = 3;
    private static final double HALF = 0.5;

    private final double edge;
    private final double[] positions;
    private final double[] velocities;
    private final double[] charges;

    /** Positions and velocities are three numbers for each atom. */
    Configuration(double edge, double[] positions, double[] velocities, double[] charges) {
        this.edge = edge;
        this.positions = positions;
        this.velocities = velocities;
        this.charges = charges;
    }

    /** A lattice with random velocities of exactly this temperature, without momentum. */
    static Configuration lattice(Matter matter, int cells, double density, double temperature, double charge,
        long seed) {
        int atoms = Math.toIntExact(matter.atoms(cells));
        double edge = Math.cbrt(atoms / density);
        double[] positions = new double[DIMENSIONS * atoms];
        double[] charges = new double[atoms];
        int[][] cell = matter.cell();
        for (int atom = 0; atom < atoms; atom++) {
            int[] at = cell[atom % cell.length];
            int parity = 0;
            for (int d = 0, left = atom / cell.length; d < DIMENSIONS; d++, left /= cells) {
                positions[DIMENSIONS * atom + d] = (left % cells + (at[d] + HALF) / 2) * edge / cells;
                parity ^= at[d];
            }
            charges[atom] = matter == Matter.LJ ? 0 : parity == 0 ? charge : -charge;
        }
        return new Configuration(edge, positions, velocities(atoms, temperature, seed), charges);
    }

    private static double[] velocities(int atoms, double temperature, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] velocities = new double[DIMENSIONS * atoms];
        double[] mean = new double[DIMENSIONS];
        for (int i = 0; i < velocities.length; i++) {
            velocities[i] = random.nextGaussian();
            mean[i % DIMENSIONS] += velocities[i] / atoms;
        }
        double squares = 0;
        for (int i = 0; i < velocities.length; i++) {
            velocities[i] -= mean[i % DIMENSIONS];
            squares += velocities[i] * velocities[i];
        }
        double factor = squares == 0 ? 0 : Math.sqrt(DIMENSIONS * (atoms - 1) * temperature / squares);
        for (int i = 0; i < velocities.length; i++) {
            velocities[i] *= factor;
        }
        return velocities;
    }

    /** Length of the cube. */
    double edge() {
        return edge;
    }

    double volume() {
        return edge * edge * edge;
    }

    int atoms() {
        return charges.length;
    }

    double position(int atom, int dimension) {
        return positions[DIMENSIONS * atom + dimension];
    }

    double velocity(int atom, int dimension) {
        return velocities[DIMENSIONS * atom + dimension];
    }

    double charge(int atom) {
        return charges[atom];
    }
}
