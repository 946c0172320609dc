package org.tributary.miniapps.jacobi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.globalarrays.Block;
import org.tributary.globalarrays.distribution.Patch;

/**
 * One Jacobi iteration on a block: every point becomes the mean of its four neighbours. Rows are copied into heap
 * arrays, three of the old values in turn, so that the inner loop runs over plain arrays and is compiled to vector
 * instructions.
 */
final class Relaxation {
    private Relaxation() {
    }

    /** Computes {@code next} from {@code now} and its ghost cells; returns the largest change of a point. */
    static double relax(Block now, Block next) {
        Patch patch = now.patch();
        if (patch.isEmpty()) {
            return 0;
        }
        int width = Math.toIntExact(patch.extent(1));
        double[] above = new double[width + 2];
        double[] middle = new double[width + 2];
        double[] below = new double[width + 2];
        double[] result = new double[width];
        load(now, patch.lo(0) - 1, above);
        load(now, patch.lo(0), middle);
        double change = 0;
        for (long i = patch.lo(0); i < patch.hi(0); i++) {
            load(now, i + 1, below);
            change = Math.max(change, row(above, middle, below, result));
            MemorySegment.copy(result, 0, next.segment(), ValueLayout.JAVA_DOUBLE, next.offset(i, patch.lo(1)), width);
            double[] oldest = above;
            above = middle;
            middle = below;
            below = oldest;
        }
        return change;
    }

    private static void load(Block block, long i, double[] row) {
        MemorySegment.copy(block.segment(), ValueLayout.JAVA_DOUBLE, block.offset(i, block.patch().lo(1) - 1), row, 0,
            row.length);
    }

    private static double row(double[] above, double[] middle, double[] below, double[] result) {
        double change = 0;
        for (int j = 0; j < result.length; j++) {
            double value = 0.25 * (above[j + 1] + below[j + 1] + middle[j] + middle[j + 2]);
            change = Math.max(change, Math.abs(value - middle[j + 1]));
            result[j] = value;
        }
        return change;
    }
}
