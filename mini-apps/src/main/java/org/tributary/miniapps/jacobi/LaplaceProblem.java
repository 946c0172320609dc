package org.tributary.miniapps.jacobi;

import java.lang.foreign.ValueLayout;
import org.tributary.globalarrays.Block;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Patch;

/**
 * Laplace's equation on the unit square with the boundary values of {@code u(x, y) = sin(pi x) sinh(pi y) / sinh(pi)},
 * which also solves it inside. Interior point (i, j) of n x n lies at {@code x = (i + 1) h, y = (j + 1) h}, with
 * {@code h = 1 / (n + 1)}; the ghost cells around the array are the boundary.
 */
final class LaplaceProblem {
    private final int n;
    private final double h;

    LaplaceProblem(int n) {
        this.n = n;
        h = 1.0 / (n + 1);
    }

    /** The analytic solution at a point; index -1 and n are the boundary. */
    double solution(long i, long j) {
        return Math.sin(Math.PI * (i + 1) * h) * Math.sinh(Math.PI * (j + 1) * h) / Math.sinh(Math.PI);
    }

    /** Sets the boundary beside this rank's block, if any. */
    void setBoundary(GlobalArray array) {
        Block own = array.access();
        Patch patch = own.patch();
        for (long i = patch.lo(0); i < patch.hi(0); i++) {
            setIfBoundary(own, i, patch.lo(1) - 1);
            setIfBoundary(own, i, patch.hi(1));
        }
        for (long j = patch.lo(1); j < patch.hi(1); j++) {
            setIfBoundary(own, patch.lo(0) - 1, j);
            setIfBoundary(own, patch.hi(0), j);
        }
    }

    private void setIfBoundary(Block own, long i, long j) {
        if (i < 0 || i >= n || j < 0 || j >= n) {
            own.segment().set(ValueLayout.JAVA_DOUBLE, own.offset(i, j), solution(i, j));
        }
    }

    /** Largest error of a block; NaN when any point is. */
    double error(Block own) {
        Patch patch = own.patch();
        double largest = 0;
        for (long i = patch.lo(0); i < patch.hi(0); i++) {
            for (long j = patch.lo(1); j < patch.hi(1); j++) {
                double value = own.segment().get(ValueLayout.JAVA_DOUBLE, own.offset(i, j));
                largest = Math.max(largest, Math.abs(value - solution(i, j)));
            }
        }
        return largest;
    }

    /**
     * Upper bound of the error once the last iteration changed no point by more than {@code change}. The inverse of
     * the discrete operator is at most 1/8 in the maximum norm. The five-point formula leaves a residual of
     * {@code 4 u ((pi h)^4 / 4! + (pi h)^8 / 8! + ...) / h^2}, where u is largest on the line below the arch, and
     * stopping leaves {@link #stoppingError}.
     */
    double errorBound(double change) {
        double largest = Math.sinh(Math.PI * (1 - h)) / Math.sinh(Math.PI);
        double fourth = Math.pow(Math.PI * h, 4);
        return largest * fourth * (1 + fourth / 1000) / (h * h) / 48 + stoppingError(change);
    }

    /**
     * The part of that bound due to stopping: as an iteration changes points by {@code h^2 / 4} times their residual,
     * that is at most {@code 4 change / h^2}.
     */
    double stoppingError(double change) {
        return change / (h * h) / 2;
    }

    /** The change by which at most {@code error} is left. */
    double changeOf(double error) {
        return 2 * error * h * h;
    }
}
