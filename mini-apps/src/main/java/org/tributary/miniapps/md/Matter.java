package org.tributary.miniapps.md;

import org.tributary.config.EnumText;

/** Kinds of matter to fill a box with. */
enum Matter {
    /** Lennard-Jones atoms, on a face-centred cubic lattice at the beginning. */
    LJ(4000, new int[][] {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}),
    /** Lennard-Jones atoms with charges of both signs, on the lattice of rock salt at the beginning. */
    CHARGED(512, new int[][] {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}});

    private final int usualAtoms;
    private final int[][] cell;

    Matter(int usualAtoms, int[][] cell) {
        this.usualAtoms = usualAtoms;
        this.cell = cell;
    }

    int usualAtoms() {
        return usualAtoms;
    }

    /** Where the atoms of a cell of the lattice are, in halves of its edge. */
    int[][] cell() {
        return cell.clone();
    }

    /** How many atoms a cube of so many cells along each side has. */
    long atoms(int cells) {
        return (long) cell.length * cells * cells * cells;
    }

    /** The most cells along each side of a cube with no more than so many atoms. */
    int cells(int atoms) {
        int cells = (int) Math.cbrt((double) atoms / cell.length);
        return atoms(cells + 1) <= atoms ? cells + 1 : cells; // the root may be rounded down
    }

    /** For example {@code lj}. */
    @Override
    public String toString() {
        return EnumText.underscored(this);
    }
}
