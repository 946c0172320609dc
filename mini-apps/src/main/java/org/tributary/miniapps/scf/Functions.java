package org.tributary.miniapps.scf;

import java.util.ArrayList;
import java.util.List;
import org.tributary.miniapps.gaussian.BasisSet;
import org.tributary.miniapps.gaussian.Shell;

/** The basis functions of a molecule, atom by atom and shell by shell. Immutable. */
final class Functions {
    private final List<Shell> shells = new ArrayList<>();
    private final int[] firsts;
    private final int[] firstsOfAtoms;

    /** The basis set has all elements of the molecule. */
    Functions(Molecule molecule, BasisSet basis) {
        int[] before = new int[molecule.atoms() + 1];
        for (int atom = 0; atom < molecule.atoms(); atom++) {
            List<Shell> own = basis.shells(molecule.element(atom), molecule.position(atom, 0),
                molecule.position(atom, 1), molecule.position(atom, 2));
            shells.addAll(own);
            before[atom + 1] = before[atom] + own.stream().mapToInt(Shell::functions).sum();
        }
        firstsOfAtoms = before;
        firsts = new int[shells.size() + 1];
        for (int shell = 0; shell < shells.size(); shell++) {
            firsts[shell + 1] = firsts[shell] + shells.get(shell).functions();
        }
    }

    /** How many functions there are. */
    int count() {
        return firsts[shells.size()];
    }

    int shells() {
        return shells.size();
    }

    Shell shell(int number) {
        return shells.get(number);
    }

    /** Number of the first function of a shell, or for the number of shells that of functions. */
    int first(int shell) {
        return firsts[shell];
    }

    /** Number of the first function of an atom, or for the number of atoms that of functions. */
    int firstOfAtom(int atom) {
        return firstsOfAtoms[atom];
    }
}
