package org.tributary.miniapps.gaussian;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Products of the functions of two shells as sums of Hermite Gaussians, for each pair of their primitives; made once
 * and used for all integrals.
 */
public final class ShellPair {
    /** Smaller products of primitives are left out: of what they multiply, nothing exceeds 1e6. */
    private static final double NEGLIGIBLE = 1e-20;

    private final Pattern pattern;
    private double[] exponents;
    private double[] centers;
    private double[] coefficients;
    private final double[] bounds;
    private double bound;

    /** Expands the products. */
    public ShellPair(Shell a, Shell b) {
        pattern = Pattern.of(a.kind(), b.kind());
        int most = a.primitives() * b.primitives();
        int entries = pattern.numbers().length;
        exponents = new double[most];
        centers = new double[3 * most];
        coefficients = new double[entries * most];
        Expansion[] expansions = {new Expansion(), new Expansion(), new Expansion()};
        int made = 0;
        for (int i = 0; i < a.primitives(); i++) {
            for (int j = 0; j < b.primitives(); j++) {
                if (expand(a, i, b, j, expansions, made)) {
                    made++;
                }
            }
        }
        exponents = Arrays.copyOf(exponents, made);
        centers = Arrays.copyOf(centers, 3 * made);
        coefficients = Arrays.copyOf(coefficients, entries * made);
        bounds = new double[made];
        Arrays.fill(bounds, Double.POSITIVE_INFINITY);
        bound = Double.POSITIVE_INFINITY;
    }

    private boolean expand(Shell a, int i, Shell b, int j, Expansion[] expansions, int to) {
        double p = a.exponent(i) + b.exponent(j);
        double square = 0;
        for (int d = 0; d < 3; d++) {
            square += (a.center(d) - b.center(d)) * (a.center(d) - b.center(d));
        }
        double factor = Math.exp(-a.exponent(i) * b.exponent(j) / p * square);
        if (factor < NEGLIGIBLE) {
            return false;
        }
        exponents[to] = p;
        for (int d = 0; d < 3; d++) {
            double center = (a.exponent(i) * a.center(d) + b.exponent(j) * b.center(d)) / p;
            centers[3 * to + d] = center;
            expansions[d].set(a.kind().highest(), b.kind().highest(), center - a.center(d), center - b.center(d), p);
        }
        int[] at = {to * pattern.numbers().length};
        Pattern.forEach(a.kind(), b.kind(), (f, g, t, u, v) ->
            coefficients[at[0]++] = factor * a.coefficient(f, i) * b.coefficient(g, j)
                * expansions[0].at(a.kind().power(f, 0), b.kind().power(g, 0), t)
                * expansions[1].at(a.kind().power(f, 1), b.kind().power(g, 1), u)
                * expansions[2].at(a.kind().power(f, 2), b.kind().power(g, 2), v));
        return true;
    }

    /** How many products of functions there are. */
    public int products() {
        return pattern.products();
    }

    /**
     * The square root of the largest repulsion of a product by itself: no repulsion of two products is larger than the
     * product of theirs (Schwarz). Infinite before {@link Repulsion#bound}.
     */
    public double bound() {
        return bound;
    }

    Pattern pattern() {
        return pattern;
    }

    int primitives() {
        return exponents.length;
    }

    /** Exponent of a product of primitives. */
    double exponent(int primitive) {
        return exponents[primitive];
    }

    /** Center of a product of primitives. */
    double center(int primitive, int dimension) {
        return centers[3 * primitive + dimension];
    }

    /** Those of the Hermite Gaussians of the pattern's lists, for all products of primitives. */
    double[] coefficients() {
        return coefficients;
    }

    /** As {@link #bound}, of a product of primitives. */
    double bound(int primitive) {
        return bounds[primitive];
    }

    /** Sets all bounds, and puts products of primitives into the order of theirs, the largest first. */
    void setBounds(double whole, double[] ofPrimitives) {
        bound = whole;
        int entries = pattern.numbers().length;
        Integer[] order = new Integer[exponents.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> -ofPrimitives[i]));
        double[] oldExponents = exponents.clone();
        double[] oldCenters = centers.clone();
        double[] oldCoefficients = coefficients.clone();
        for (int to = 0; to < order.length; to++) {
            int from = order[to];
            bounds[to] = ofPrimitives[from];
            exponents[to] = oldExponents[from];
            System.arraycopy(oldCenters, 3 * from, centers, 3 * to, 3);
            System.arraycopy(oldCoefficients, entries * from, coefficients, entries * to, entries);
        }
    }
}
