package org.tributary.miniapps.multigrid;

/** Classes of the problem: points along each dimension, iterations, smoother, and the norm that NPB 3.4 publishes. */
enum ProblemClass {
    S(5, 4, Smoother.A, 0.5307707005734e-4),
    W(7, 4, Smoother.A, 0.6467329375339e-5),
    A(8, 4, Smoother.A, 0.2433365309069e-5),
    B(8, 20, Smoother.B, 0.1800564401355e-5);

    /** How much the norm may differ from the published one, relative to it: NPB's limit. */
    private static final double EPSILON = 1e-8;
    /** Operations for each point in each iteration, by NPB's count. */
    private static final double OPERATIONS = 58;

    private final int levels;
    private final int iterations;
    private final Smoother smoother;
    private final double norm;

    ProblemClass(int levels, int iterations, Smoother smoother, double norm) {
        this.levels = levels;
        this.iterations = iterations;
        this.smoother = smoother;
        this.norm = norm;
    }

    /** Grids, of 2, 4, 8 points and so on along each dimension. */
    int levels() {
        return levels;
    }

    /** Points of the finest grid along each dimension. */
    int extent() {
        return 1 << levels;
    }

    int iterations() {
        return iterations;
    }

    Smoother smoother() {
        return smoother;
    }

    /** The published norm of the last residual. */
    double norm() {
        return norm;
    }

    /** How far a norm is from the published one, relative to it. */
    double error(double found) {
        return Math.abs(found - norm) / norm;
    }

    boolean isRight(double found) {
        return error(found) <= EPSILON;
    }

    /** Millions of operations a second. */
    double megaOperations(double seconds) {
        return OPERATIONS * iterations * Math.pow(extent(), 3) / seconds * 1e-6;
    }
}
