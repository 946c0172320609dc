package org.tributary.miniapps.matmul;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.globalarrays.Block;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** A distributed matrix times a vector that every rank has: each rank its own block, then the sum over ranks. */
final class MatrixVector {
    private MatrixVector() {
    }

    /** The product in double precision, the same on every rank. Collective. */
    static double[] multiply(GlobalArray matrix, double[] vector) {
        double[] product = new double[Math.toIntExact(matrix.dims()[0])];
        Block own = matrix.access();
        Patch patch = own.patch();
        boolean single = matrix.type() == ElementType.FLOAT;
        for (long row = patch.lo(0); row < patch.hi(0); row++) {
            product[(int) row] = row(own, row, vector, single);
        }
        matrix.group().allreduce(ReduceOp.SUM, product);
        return product;
    }

    private static double row(Block own, long row, double[] vector, boolean single) {
        MemorySegment memory = own.segment();
        int lo = (int) own.patch().lo(1);
        int hi = (int) own.patch().hi(1);
        long at = own.offset(row, lo);
        double sum = 0;
        for (int column = lo; column < hi; column++) {
            double element = single ? memory.get(ValueLayout.JAVA_FLOAT, at + 4L * (column - lo))
                : memory.get(ValueLayout.JAVA_DOUBLE, at + 8L * (column - lo));
            sum += element * vector[column];
        }
        return sum;
    }
}
