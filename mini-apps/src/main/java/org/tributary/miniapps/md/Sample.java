package org.tributary.miniapps.md;

/**
 * The system at one time. Energies are sums over all atoms.
 *
 * @param atoms        how many there are on all ranks
 * @param numbers      the sum of their numbers
 * @param momentum     the largest component of the sum of momenta
 * @param kinetic      kinetic energy
 * @param lennardJones energy of pairs up to the cut-off
 * @param shifted      the same, but every pair's without the energy that it has at the cut-off: what stays constant
 *                     with the others, as nothing jumps when a pair crosses the cut-off
 * @param electric     energy of charges
 * @param virial       sum over pairs of force times distance, that of charges included
 */
record Sample(double atoms, double numbers, double momentum, double kinetic, double lennardJones, double shifted,
    double electric, double virial) {

    /** Energy that does not change. */
    double total() {
        return kinetic + shifted + electric;
    }

    double temperature() {
        return 2 * kinetic / (Configuration.DIMENSIONS * (atoms - 1));
    }

    /** Potential energy of an atom, with what the fluid beyond the cut-off adds. */
    double energy(double cutoff, double volume) {
        double density = atoms / volume;
        double ninth = Math.pow(cutoff, -9);
        double third = Math.pow(cutoff, -3);
        return (lennardJones + electric) / atoms + 8 * Math.PI / 3 * density * (ninth / 3 - third);
    }

    /** With what the fluid beyond the cut-off adds. */
    double pressure(double cutoff, double volume) {
        double density = atoms / volume;
        double ninth = Math.pow(cutoff, -9);
        double third = Math.pow(cutoff, -3);
        return (2 * kinetic + virial) / (3 * volume)
            + 16 * Math.PI / 3 * density * density * (2 * ninth / 3 - third);
    }
}
