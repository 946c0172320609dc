package org.tributary.miniapps.scf;

import org.tributary.miniapps.gaussian.OneElectron;
import org.tributary.miniapps.gaussian.Shell;

/**
 * Matrices of one electron in the field of the nuclei. One rank has them.
 *
 * @param overlap     of the basis functions
 * @param hamiltonian kinetic energy and attraction by the nuclei
 */
record Core(double[] overlap, double[] hamiltonian) {
    private static final int MOST_PRODUCTS = 36;

    static Core of(Pairs pairs, double... nuclei) {
        Functions functions = pairs.functions();
        int size = functions.count();
        Core core = new Core(new double[size * size], new double[size * size]);
        OneElectron integrals = new OneElectron();
        double[] overlap = new double[MOST_PRODUCTS];
        double[] kinetic = new double[MOST_PRODUCTS];
        double[] attraction = new double[MOST_PRODUCTS];
        for (int i = 0; i < functions.shells(); i++) {
            for (int j = 0; j <= i; j++) {
                Shell a = functions.shell(i);
                Shell b = functions.shell(j);
                integrals.overlapAndKinetic(a, b, overlap, kinetic);
                integrals.attraction(pairs.pair(i, j), nuclei, attraction);
                for (int n = 0; n < a.functions() * b.functions(); n++) {
                    int row = functions.first(i) + n / b.functions();
                    int column = functions.first(j) + n % b.functions();
                    core.set(row, column, size, overlap[n], kinetic[n] + attraction[n]);
                    core.set(column, row, size, overlap[n], kinetic[n] + attraction[n]);
                }
            }
        }
        return core;
    }

    private void set(int row, int column, int size, double overlapping, double energy) {
        overlap[row * size + column] = overlapping;
        hamiltonian[row * size + column] = energy;
    }
}
