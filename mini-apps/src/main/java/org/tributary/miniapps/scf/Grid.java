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
