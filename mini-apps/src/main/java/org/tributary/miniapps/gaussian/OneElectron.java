package org.tributary.miniapps.gaussian;

import java.util.Arrays;

/** Integrals of one electron over two shells: overlap, kinetic energy, and attraction by nuclei. One thread each. */
public final class OneElectron {
    private static final int NUMBERS_OF_NUCLEUS = 4;

    private final Hermite hermite = new Hermite();
    private final Expansion[] expansions = {new Expansion(), new Expansion(), new Expansion()};

    /**
     * Overlap and kinetic energy, in hartree.
     *
     * @param overlap the first shell's functions varying slowest; set
     * @param kinetic the same
     */
    public void overlapAndKinetic(Shell a, Shell b, double[] overlap, double[] kinetic) {
        int products = a.functions() * b.functions();
        Arrays.fill(overlap, 0, products, 0);
        Arrays.fill(kinetic, 0, products, 0);
        for (int i = 0; i < a.primitives(); i++) {
            for (int j = 0; j < b.primitives(); j++) {
                double p = a.exponent(i) + b.exponent(j);
                double square = 0;
                for (int d = 0; d < 3; d++) {
                    double center = (a.exponent(i) * a.center(d) + b.exponent(j) * b.center(d)) / p;
                    square += (a.center(d) - b.center(d)) * (a.center(d) - b.center(d));
                    expansions[d].set(a.kind().highest(), b.kind().highest() + 2, center - a.center(d),
                        center - b.center(d), p);
                }
                double factor = Math.exp(-a.exponent(i) * b.exponent(j) / p * square) * Math.pow(Math.PI / p, 1.5);
                add(a, i, b, j, factor, overlap, kinetic);
            }
        }
    }

    private void add(Shell a, int i, Shell b, int j, double factor, double[] overlap, double[] kinetic) {
        for (int f = 0; f < a.functions(); f++) {
            for (int g = 0; g < b.functions(); g++) {
                double both = factor * a.coefficient(f, i) * b.coefficient(g, j);
                double product = 1;
                double sum = 0;
                for (int d = 0; d < 3; d++) {
                    int m = a.kind().power(f, d);
                    int n = b.kind().power(g, d);
                    double same = expansions[d].at(m, n, 0);
                    sum = sum * same + product * kinetic(expansions[d], m, n, b.exponent(j));
                    product *= same;
                }
                overlap[f * b.functions() + g] += both * product;
                kinetic[f * b.functions() + g] += both * sum;
            }
        }
    }

    /** Minus half the second derivative of the second Gaussian of power n, in one dimension. */
    private static double kinetic(Expansion expansion, int m, int n, double exponent) {
        double lower = n < 2 ? 0 : -0.5 * n * (n - 1) * expansion.at(m, n - 2, 0);
        return lower + exponent * (2 * n + 1) * expansion.at(m, n, 0)
            - 2 * exponent * exponent * expansion.at(m, n + 2, 0);
    }

    /**
     * Attraction by nuclei, in hartree.
     *
     * @param nuclei charge, x, y and z of each
     * @param into   the first shell's functions varying slowest; set
     */
    public void attraction(ShellPair pair, double[] nuclei, double[] into) {
        Arrays.fill(into, 0, pair.products(), 0);
        int[] ends = pair.pattern().ends();
        int[] numbers = pair.pattern().numbers();
        double[] coefficients = pair.coefficients();
        for (int i = 0; i < pair.primitives(); i++) {
            double p = pair.exponent(i);
            int first = i * numbers.length;
            for (int at = 0; at < nuclei.length; at += NUMBERS_OF_NUCLEUS) {
                double[] coulomb = hermite.coulomb(pair.pattern().degree(), p, pair.center(i, 0) - nuclei[at + 1],
                    pair.center(i, 1) - nuclei[at + 2], pair.center(i, 2) - nuclei[at + 3],
                    -nuclei[at] * 2 * Math.PI / p);
                for (int product = 0; product < pair.products(); product++) {
                    double sum = 0;
                    for (int n = ends[product]; n < ends[product + 1]; n++) {
                        sum += coefficients[first + n] * coulomb[numbers[n]];
                    }
                    into[product] += sum;
                }
            }
        }
    }
}
