package org.tributary.miniapps.scf;

import java.util.HashMap;
import java.util.Map;
import org.tributary.miniapps.gaussian.BasisSet;

/**
 * A density to begin with: that of the atoms alone, side by side. Each atom is the self-consistent field of a sphere:
 * the electrons of an unfinished shell are spread evenly over its orbitals. One rank has it.
 */
final class AtomicGuess {
    private static final int MOST_ITERATIONS = 50;
    private static final double SMALL_ERROR = 1e-5;
    private static final double LIMIT = 1e-10;
    private static final int ELECTRONS_OF_ORBITAL = 2;
    /** Orbitals of 1s, 2s, 2p, 3s and 3p. */
    private static final int[] ORBITALS = {1, 1, 3, 1, 3};

    private AtomicGuess() {
    }

    /** The density matrix. */
    static double[] density(Molecule molecule, BasisSet basis, Functions functions) {
        Map<Integer, double[]> atoms = new HashMap<>();
        int size = functions.count();
        double[] density = new double[size * size];
        for (int atom = 0; atom < molecule.atoms(); atom++) {
            double[] own = atoms.computeIfAbsent(molecule.element(atom), element -> atom(element, basis));
            int first = functions.firstOfAtom(atom);
            int count = functions.firstOfAtom(atom + 1) - first;
            for (int row = 0; row < count; row++) {
                System.arraycopy(own, row * count, density, (first + row) * size + first, count);
            }
        }
        return density;
    }

    /** The density matrix of an atom. */
    static double[] atom(int element, BasisSet basis) {
        Molecule molecule = new Molecule("atom", new int[] {element}, new double[3]);
        Pairs pairs = new Pairs(new Functions(molecule, basis));
        Core core = Core.of(pairs, molecule.nuclei());
        Orbitals orbitals = new Orbitals(core.overlap(), pairs.functions().count());
        SerialFock twoElectrons = new SerialFock(pairs, LIMIT);
        Extrapolation extrapolation = new Extrapolation();
        double[] occupations = occupations(element);
        orbitals.solve(core.hamiltonian());
        double[] density = orbitals.density(occupations);
        for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
            double[] fock = Dense.sum(core.hamiltonian(), twoElectrons.of(density));
            double[] error = orbitals.error(fock, density);
            if (Dense.largest(error) < SMALL_ERROR) {
                break;
            }
            orbitals.solve(extrapolation.next(fock, error));
            density = orbitals.density(occupations);
        }
        return density;
    }

    /** Electrons in each orbital of an atom, the lowest first. */
    static double[] occupations(int electrons) {
        double[] occupations = new double[1 + 1 + 3 + 1 + 3];
        int left = electrons;
        int orbital = 0;
        for (int shell : ORBITALS) {
            double each = (double) Math.min(left, ELECTRONS_OF_ORBITAL * shell) / shell;
            for (int i = 0; i < shell; i++) {
                occupations[orbital++] = each;
            }
            left -= Math.min(left, ELECTRONS_OF_ORBITAL * shell);
        }
        return occupations;
    }
}
