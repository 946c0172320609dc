package org.tributary.miniapps.md;

/**
 * Forces between pairs: the Lennard-Jones potential, cut off, and the short-ranged part of Coulomb's law if there are
 * charges. Sums what the pairs of a step contribute to energy and virial when it is asked to.
 */
final class PairForces {
    private final double cutoffSquared;
    private final ShortRange coulomb;
    private double lennardJones;
    private double electric;
    private double virial;
    private double pairs;

    /** {@code coulomb} may be null: no charges. */
    PairForces(double cutoff, ShortRange coulomb) {
        cutoffSquared = cutoff * cutoff;
        this.coulomb = coulomb;
    }

    /** The Lennard-Jones potential at a distance. */
    static double potential(double distance) {
        double sixth = Math.pow(distance, -6);
        return 4 * sixth * (sixth - 1);
    }

    /** Begins a step. */
    void clear() {
        lennardJones = 0;
        electric = 0;
        virial = 0;
        pairs = 0;
    }

    /**
     * Adds the forces of pairs to both atoms.
     *
     * @param weight  of a pair in sums: that of a ghost is counted a half here, and a half where the ghost is an atom
     * @param summing whether sums are wanted
     */
    void add(Atoms atoms, NeighbourLists.Pairs list, double weight, boolean summing) {
        if (coulomb == null) {
            addNeutral(atoms, list, weight, summing);
        } else {
            addCharged(atoms, list, weight, summing);
        }
    }

    private void addNeutral(Atoms atoms, NeighbourLists.Pairs list, double weight, boolean summing) {
        double[] positions = atoms.positions();
        double[] forces = atoms.forces();
        int[] firsts = list.firsts();
        int[] neighbours = list.neighbours();
        double limit = cutoffSquared;
        double energy = 0;
        double work = 0;
        long count = 0;
        for (int atom = 0; atom < atoms.own(); atom++) {
            int at = Atoms.STRIDE * atom;
            double x = positions[at];
            double y = positions[at + 1];
            double z = positions[at + 2];
            double fx = 0;
            double fy = 0;
            double fz = 0;
            for (int k = firsts[atom]; k < firsts[atom + 1]; k++) {
                int other = neighbours[k];
                double dx = x - positions[other];
                double dy = y - positions[other + 1];
                double dz = z - positions[other + 2];
                double squared = dx * dx + dy * dy + dz * dz;
                if (squared < limit) {
                    double inverse = 1 / squared;
                    double sixth = inverse * inverse * inverse;
                    double force = inverse * sixth * (48 * sixth - 24);
                    fx += force * dx;
                    fy += force * dy;
                    fz += force * dz;
                    forces[other] -= force * dx;
                    forces[other + 1] -= force * dy;
                    forces[other + 2] -= force * dz;
                    if (summing) {
                        energy += sixth * (sixth - 1);
                        work += force * squared;
                        count++;
                    }
                }
            }
            forces[at] += fx;
            forces[at + 1] += fy;
            forces[at + 2] += fz;
        }
        lennardJones += 4 * weight * energy;
        virial += weight * work;
        pairs += weight * count;
    }

    private void addCharged(Atoms atoms, NeighbourLists.Pairs list, double weight, boolean summing) {
        double[] positions = atoms.positions();
        double[] forces = atoms.forces();
        int[] firsts = list.firsts();
        int[] neighbours = list.neighbours();
        for (int atom = 0; atom < atoms.own(); atom++) {
            int at = Atoms.STRIDE * atom;
            for (int k = firsts[atom]; k < firsts[atom + 1]; k++) {
                int other = neighbours[k];
                double dx = positions[at] - positions[other];
                double dy = positions[at + 1] - positions[other + 1];
                double dz = positions[at + 2] - positions[other + 2];
                double squared = dx * dx + dy * dy + dz * dz;
                if (squared < cutoffSquared) {
                    double charges = positions[at + 3] * positions[other + 3];
                    double inverse = 1 / squared;
                    double sixth = inverse * inverse * inverse;
                    double neutral = inverse * sixth * (48 * sixth - 24);
                    double force = neutral + charges * coulomb.force(squared);
                    forces[at] += force * dx;
                    forces[at + 1] += force * dy;
                    forces[at + 2] += force * dz;
                    forces[other] -= force * dx;
                    forces[other + 1] -= force * dy;
                    forces[other + 2] -= force * dz;
                    if (summing) {
                        lennardJones += 4 * weight * sixth * (sixth - 1);
                        electric += weight * charges * coulomb.energy(squared);
                        virial += weight * neutral * squared;
                        pairs += weight;
                    }
                }
            }
        }
    }

    /** Lennard-Jones energy. */
    double lennardJones() {
        return lennardJones;
    }

    /** Energy of charges, its short-ranged part. */
    double electric() {
        return electric;
    }

    /** Sum over pairs of force times distance, that of charges left out. */
    double virial() {
        return virial;
    }

    /** How many pairs were no farther apart than the cut-off. */
    double pairs() {
        return pairs;
    }
}
