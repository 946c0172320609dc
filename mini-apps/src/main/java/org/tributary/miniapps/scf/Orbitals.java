package org.tributary.miniapps.scf;

import java.util.Comparator;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;

/** Orbitals of a Fock matrix in basis functions that overlap, by canonical orthogonalization. One rank has them. */
final class Orbitals {
    /** Combinations of basis functions of a smaller norm, squared, are left out. */
    private static final double SMALLEST_NORM = 1e-8;

    private final int size;
    private final DMatrixRMaj overlap;
    /** Columns are orthonormal combinations of basis functions. */
    private final DMatrixRMaj orthonormal;
    private DMatrixRMaj coefficients;
    private double[] energies = new double[0];

    /** A decomposition: eigenvalues, the smallest first, and columns that belong to them. */
    private record Eigen(double[] values, DMatrixRMaj vectors) {
        /** Of a symmetric matrix, which is overwritten. */
        static Eigen of(DMatrixRMaj matrix) {
            int size = matrix.numRows;
            EigenDecomposition_F64<DMatrixRMaj> found = DecompositionFactory_DDRM.eig(size, true, true);
            if (!found.decompose(matrix)) {
                throw new ArithmeticException("the eigenvalues of a symmetric matrix of " + size + " rows do not"
                    + " converge");
            }
            int[] order = IntStream.range(0, size).boxed()
                .sorted(Comparator.comparingDouble(i -> found.getEigenvalue(i).getReal())).mapToInt(i -> i).toArray();
            double[] values = new double[size];
            DMatrixRMaj vectors = new DMatrixRMaj(size, size);
            for (int column = 0; column < size; column++) {
                values[column] = found.getEigenvalue(order[column]).getReal();
                DMatrixRMaj vector = found.getEigenVector(order[column]);
                for (int row = 0; row < size; row++) {
                    vectors.set(row, column, vector.get(row, 0));
                }
            }
            return new Eigen(values, vectors);
        }
    }

    /** Finds orthonormal combinations of functions. */
    Orbitals(double[] overlap, int size) {
        this.size = size;
        this.overlap = DMatrixRMaj.wrap(size, size, overlap);
        Eigen eigen = Eigen.of(this.overlap.copy());
        int dropped = 0;
        while (eigen.values[dropped] < SMALLEST_NORM) {
            dropped++;
        }
        orthonormal = new DMatrixRMaj(size, size - dropped);
        for (int column = dropped; column < size; column++) {
            for (int row = 0; row < size; row++) {
                orthonormal.set(row, column - dropped,
                    eigen.vectors.get(row, column) / Math.sqrt(eigen.values[column]));
            }
        }
    }

    /** So many orbitals there are. */
    int count() {
        return orthonormal.numCols;
    }

    /** Finds the orbitals of a Fock matrix. */
    void solve(double[] fock) {
        Eigen eigen = Eigen.of(transformed(DMatrixRMaj.wrap(size, size, fock)));
        energies = eigen.values;
        coefficients = new DMatrixRMaj(size, orthonormal.numCols);
        CommonOps_DDRM.mult(orthonormal, eigen.vectors, coefficients);
    }

    /** A matrix in the orthonormal combinations of functions. */
    private DMatrixRMaj transformed(DMatrixRMaj matrix) {
        DMatrixRMaj half = new DMatrixRMaj(size, orthonormal.numCols);
        CommonOps_DDRM.mult(matrix, orthonormal, half);
        DMatrixRMaj whole = new DMatrixRMaj(orthonormal.numCols, orthonormal.numCols);
        CommonOps_DDRM.multTransA(orthonormal, half, whole);
        return whole;
    }

    /** Energies of the orbitals, the lowest first. */
    double[] energies() {
        return energies.clone();
    }

    /** The density of so many electrons in each orbital, the lowest first; no more in those behind. */
    double[] density(double... occupations) {
        double[] density = new double[size * size];
        for (int orbital = 0; orbital < Math.min(occupations.length, coefficients.numCols); orbital++) {
            for (int i = 0; i < size; i++) {
                double factor = occupations[orbital] * coefficients.get(i, orbital);
                for (int j = 0; j < size; j++) {
                    density[i * size + j] += factor * coefficients.get(j, orbital);
                }
            }
        }
        return density;
    }

    /** How far a Fock matrix and a density are from commuting: F P S - S P F in the orthonormal combinations. */
    double[] error(double[] fock, double[] density) {
        DMatrixRMaj half = new DMatrixRMaj(size, size);
        DMatrixRMaj whole = new DMatrixRMaj(size, size);
        CommonOps_DDRM.mult(DMatrixRMaj.wrap(size, size, fock), DMatrixRMaj.wrap(size, size, density), half);
        CommonOps_DDRM.mult(half, overlap, whole);
        DMatrixRMaj transposed = new DMatrixRMaj(size, size);
        CommonOps_DDRM.transpose(whole, transposed);
        DMatrixRMaj difference = new DMatrixRMaj(size, size);
        CommonOps_DDRM.subtract(whole, transposed, difference);
        return transformed(difference).data;
    }
}
