package org.tributary.miniapps.scf;

/**
 * Equidistant points in a box around a molecule.
 *
 * @param origin  x, y and z of the first, in bohr
 * @param points  along x, y and z
 * @param spacing from one to the next, in bohr
 */
record Grid(double[] origin, int[] points, double spacing) {
    /** Between the box and the atoms, in bohr. */
    private static final double MARGIN = 5;
    private static final int DIMENSIONS = 3;
    private static final double HUNDREDTHS = 100;

    static Grid around(Molecule molecule, double spacing) {
        double[] origin = new double[DIMENSIONS];
        int[] points = new int[DIMENSIONS];
        for (int d = 0; d < DIMENSIONS; d++) {
            double least = Double.POSITIVE_INFINITY;
            double most = Double.NEGATIVE_INFINITY;
            for (int atom = 0; atom < molecule.atoms(); atom++) {
                least = Math.min(least, molecule.position(atom, d));
                most = Math.max(most, molecule.position(atom, d));
            }
            double steps = Math.min(Math.ceil((most - least + 2 * MARGIN) / spacing), Integer.MAX_VALUE - 1);
            points[d] = (int) steps + 1;
            origin[d] = (least + most - steps * spacing) / 2;
        }
        return new Grid(origin, points, spacing);
    }

    /** The smallest spacing, in hundredths of a bohr, whose grid has at most so many points, if that is 8 or more. */
    static double finest(Molecule molecule, double most) {
        long fitting = 1;
        while (around(molecule, fitting / HUNDREDTHS).count() > most) {
            fitting *= 2;
        }
        long tooFine = fitting / 2;
        while (fitting - tooFine > 1) {
            long between = (fitting + tooFine) / 2;
            if (around(molecule, between / HUNDREDTHS).count() > most) {
                tooFine = between;
            } else {
                fitting = between;
            }
        }
        return fitting / HUNDREDTHS;
    }

    /** How many there are, perhaps more than any array has. */
    double count() {
        return (double) points[0] * points[1] * points[2];
    }

    /** A coordinate of a point. */
    double at(int dimension, long index) {
        return origin[dimension] + index * spacing;
    }

    /** Volume that a point stands for, in bohr^3. */
    double volume() {
        return spacing * spacing * spacing;
    }
}
