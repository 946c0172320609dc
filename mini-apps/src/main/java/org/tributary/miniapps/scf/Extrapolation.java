package org.tributary.miniapps.scf;

import java.util.ArrayList;
import java.util.List;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;

/**
 * Direct inversion in the iterative subspace (DIIS): the combination of the last Fock matrices whose error is the
 * smallest. One rank has it.
 */
final class Extrapolation {
    private static final int MOST = 8;

    private final List<double[]> matrices = new ArrayList<>();
    private final List<double[]> errors = new ArrayList<>();

    /** Takes a Fock matrix and its error, and returns the combination to go on with. */
    double[] next(double[] matrix, double[] error) {
        matrices.add(matrix);
        errors.add(error);
        if (matrices.size() > MOST) {
            forget();
        }
        double[] weights = weights();
        while (weights == null) {
            forget();
            weights = weights();
        }
        double[] combination = new double[matrix.length];
        for (int i = 0; i < matrices.size(); i++) {
            double[] each = matrices.get(i);
            for (int n = 0; n < combination.length; n++) {
                combination[n] += weights[i] * each[n];
            }
        }
        return combination;
    }

    private void forget() {
        matrices.removeFirst();
        errors.removeFirst();
    }

    /** Weights with sum 1, or null when the errors depend on each other. */
    private double[] weights() {
        int count = errors.size();
        if (count == 1) {
            return new double[] {1};
        }
        double largest = Dense.dot(errors.getLast(), errors.getLast());
        DMatrixRMaj equations = new DMatrixRMaj(count + 1, count + 1);
        DMatrixRMaj right = new DMatrixRMaj(count + 1, 1);
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++) {
                equations.set(i, j, Dense.dot(errors.get(i), errors.get(j)) / largest);
            }
            equations.set(i, count, 1);
            equations.set(count, i, 1);
        }
        right.set(count, 0, 1);
        DMatrixRMaj solution = new DMatrixRMaj(count + 1, 1);
        if (!CommonOps_DDRM.solve(equations, right, solution)) {
            return null;
        }
        double[] weights = new double[count];
        for (int i = 0; i < count; i++) {
            weights[i] = solution.get(i, 0);
            if (!Double.isFinite(weights[i])) {
                return null;
            }
        }
        return weights;
    }
}
