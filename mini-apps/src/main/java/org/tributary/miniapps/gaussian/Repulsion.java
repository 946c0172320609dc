package org.tributary.miniapps.gaussian;

import java.util.Arrays;

/**
 * Repulsion of electrons: integrals over the products of two shell pairs, {@code (ab|cd)}, by McMurchie and Davidson.
 * For each product of primitives of the first pair, those of the second are turned from Hermite Gaussians to functions
 * one after the other; then the first is. One thread each.
 */
public final class Repulsion {
    /** Primitives are left out whose repulsion is smaller, by Schwarz. */
    private static final double NEGLIGIBLE = 1e-15;
    private static final double CONSTANT = 2 * Math.pow(Math.PI, 2.5);
    private static final int MOST_PRODUCTS = Kind.D.functions() * Kind.D.functions();

    private final Hermite hermite = new Hermite();
    private final double[] matrix = new double[Hermite.MOST_OF_PAIR * Hermite.MOST_OF_PAIR];
    private final double[] half = new double[MOST_PRODUCTS * Hermite.MOST_OF_PAIR];
    private final double[] halfByHermite = new double[MOST_PRODUCTS * Hermite.MOST_OF_PAIR];
    private final double[] result = new double[MOST_PRODUCTS * MOST_PRODUCTS];
    private final double[] turned = new double[MOST_PRODUCTS * MOST_PRODUCTS];

    /**
     * The integrals, in hartree, those of the first pair's products varying slowest. The array is this object's and
     * holds until the next call.
     */
    public double[] of(ShellPair bra, ShellPair ket) {
        if (cost(bra, ket) <= cost(ket, bra)) {
            compute(bra, ket);
            return result;
        }
        compute(ket, bra);
        int rows = bra.products();
        int columns = ket.products();
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                turned[row * columns + column] = result[column * rows + row];
            }
        }
        return turned;
    }

    /** About how many multiplications it takes with a pair outside and the other one inside. */
    private static long cost(ShellPair bra, ShellPair ket) {
        long hermites = bra.pattern().hermites();
        return bra.primitives() * (ket.primitives() * hermites * (ket.pattern().hermites()
            + ket.pattern().numbers().length) + (long) bra.pattern().numbers().length * ket.products());
    }

    private void compute(ShellPair bra, ShellPair ket) {
        Arrays.fill(result, 0, bra.products() * ket.products(), 0);
        if (ket.primitives() == 0) {
            return;
        }
        for (int i = 0; i < bra.primitives() && !(bra.bound(i) * ket.bound(0) < NEGLIGIBLE); i++) {
            add(bra, i, ket, 0, ket.primitives());
        }
    }

    /** Finds the bounds of a pair by its repulsion of itself. */
    public void bound(ShellPair pair) {
        double[] ofPrimitives = new double[pair.primitives()];
        for (int i = 0; i < ofPrimitives.length; i++) {
            Arrays.fill(result, 0, pair.products() * pair.products(), 0);
            add(pair, i, pair, i, i + 1);
            ofPrimitives[i] = largest(pair.products());
        }
        if (ofPrimitives.length == 0) {
            pair.setBounds(0, ofPrimitives);
            return;
        }
        compute(pair, pair);
        pair.setBounds(largest(pair.products()), ofPrimitives);
    }

    private double largest(int products) {
        double largest = 0;
        for (int n = 0; n < products; n++) {
            largest = Math.max(largest, Math.abs(result[n * products + n]));
        }
        return Math.sqrt(largest);
    }

    /** Adds the integrals of a primitive of the first pair and some of the second. */
    private void add(ShellPair bra, int i, ShellPair ket, int begin, int end) {
        int rows = ket.pattern().hermites();
        int columns = bra.pattern().hermites();
        int degree = bra.pattern().degree() + ket.pattern().degree();
        double p = bra.exponent(i);
        double smallest = NEGLIGIBLE / bra.bound(i);
        Arrays.fill(half, 0, ket.products() * columns, 0);
        for (int j = begin; j < end && !(ket.bound(j) < smallest); j++) {
            double q = ket.exponent(j);
            double[] coulomb = hermite.coulomb(degree, p * q / (p + q), bra.center(i, 0) - ket.center(j, 0),
                bra.center(i, 1) - ket.center(j, 1), bra.center(i, 2) - ket.center(j, 2),
                CONSTANT / (p * q * Math.sqrt(p + q)));
            Hermite.spread(coulomb, rows, columns, matrix);
            turnKet(ket, j, columns);
        }
        turnBra(bra, i, ket.products(), columns);
    }

    /** Adds rows of the matrix to those of the products that they are a part of. */
    private void turnKet(ShellPair ket, int primitive, int columns) {
        int[] ends = ket.pattern().ends();
        int[] numbers = ket.pattern().numbers();
        double[] coefficients = ket.coefficients();
        int first = primitive * numbers.length;
        for (int product = 0; product < ket.products(); product++) {
            int to = product * columns;
            for (int n = ends[product]; n < ends[product + 1]; n++) {
                double coefficient = coefficients[first + n];
                int from = numbers[n] * columns;
                for (int c = 0; c < columns; c++) {
                    half[to + c] += coefficient * matrix[from + c];
                }
            }
        }
    }

    private void turnBra(ShellPair bra, int primitive, int products, int hermites) {
        for (int product = 0; product < products; product++) {
            for (int h = 0; h < hermites; h++) {
                halfByHermite[h * products + product] = half[product * hermites + h];
            }
        }
        int[] ends = bra.pattern().ends();
        int[] numbers = bra.pattern().numbers();
        double[] coefficients = bra.coefficients();
        int first = primitive * numbers.length;
        for (int product = 0; product < bra.products(); product++) {
            int to = product * products;
            for (int n = ends[product]; n < ends[product + 1]; n++) {
                double coefficient = coefficients[first + n];
                int from = numbers[n] * products;
                for (int c = 0; c < products; c++) {
                    result[to + c] += coefficient * halfByHermite[from + c];
                }
            }
        }
    }
}
