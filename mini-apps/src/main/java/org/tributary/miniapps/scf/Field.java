package org.tributary.miniapps.scf;

import java.util.Arrays;
import org.tributary.miniapps.gaussian.BasisSet;

/** Work of rank 0 between one Fock matrix and the next: energy, extrapolation, diagonalization, a new density. */
final class Field {
    private static final double PAIR = 2;

    private final Molecule molecule;
    private final Functions functions;
    private final Core core;
    private final Orbitals orbitals;
    private final Extrapolation extrapolation = new Extrapolation();
    private final double[] occupations;

    /**
     * Result of an iteration.
     *
     * @param energy    total energy of the density, in hartree
     * @param error     the largest element of F P S - S P F, in orthonormal combinations of functions
     * @param electrons of the density
     * @param highest   energy of the highest orbital with electrons, in hartree
     * @param gap       to the lowest one without, in hartree, or NaN if there is none
     */
    record Step(double energy, double error, double electrons, double highest, double gap) {
        private static final int NUMBERS = 5;

        /** For all ranks. */
        double[] numbers() {
            return new double[] {energy, error, electrons, highest, gap};
        }

        static double[] room() {
            return new double[NUMBERS];
        }

        static Step of(double... numbers) {
            return new Step(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
        }
    }

    Field(Molecule molecule, Pairs pairs, int electrons) {
        this.molecule = molecule;
        functions = pairs.functions();
        core = Core.of(pairs, molecule.nuclei());
        orbitals = new Orbitals(core.overlap(), functions.count());
        occupations = new double[(int) (electrons / PAIR)];
        Arrays.fill(occupations, PAIR);
    }

    /** Orthonormal combinations of functions: places for so many pairs of electrons. */
    int combinations() {
        return orbitals.count();
    }

    /** The density of the atoms side by side. */
    double[] densityOfAtoms(BasisSet basis) {
        return AtomicGuess.density(molecule, basis, functions);
    }

    /** The density of electrons that do not repel each other. */
    double[] densityOfCore() {
        orbitals.solve(core.hamiltonian());
        return orbitals.density(occupations);
    }

    /**
     * Makes a step.
     *
     * @param twoElectrons what the density adds to the Fock matrix; overwritten
     * @param density      becomes the next one, unless the error is less than {@code tolerance}
     */
    Step step(double[] twoElectrons, double[] density, double tolerance) {
        double[] fock = Dense.sum(core.hamiltonian(), twoElectrons);
        double energy = molecule.nuclearRepulsion()
            + (Dense.dot(density, core.hamiltonian()) + Dense.dot(density, fock)) / 2;
        double electrons = Dense.dot(density, core.overlap());
        double[] error = orbitals.error(fock, density);
        double largest = Dense.largest(error);
        boolean isLast = largest < tolerance;
        orbitals.solve(isLast ? fock : extrapolation.next(fock, error));
        if (!isLast) {
            System.arraycopy(orbitals.density(occupations), 0, density, 0, density.length);
        }
        double[] energies = orbitals.energies();
        double highest = energies[occupations.length - 1];
        double gap = energies.length > occupations.length ? energies[occupations.length] - highest : Double.NaN;
        return new Step(energy, largest, electrons, highest, gap);
    }
}
