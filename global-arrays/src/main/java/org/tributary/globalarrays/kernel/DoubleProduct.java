package org.tributary.globalarrays.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.tributary.client.shape.Scale;

final class DoubleProduct extends TileProduct {
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private final double[][] a;
    private final double[][] b;
    private final double[][] c;
    private int rows;
    private int columns;

    DoubleProduct(int rows, int columns, int depth) {
        int paddedRows = roundUp(rows, DoubleKernel.ROW_STEP);
        int paddedDepth = roundUp(depth, DoubleKernel.DEPTH_STEP);
        a = new double[paddedRows][paddedDepth];
        b = new double[paddedDepth][columns];
        c = new double[paddedRows][columns];
    }

    @Override
    public void begin(int newRows, int newColumns) {
        rows = newRows;
        columns = newColumns;
        for (double[] row : c) {
            Arrays.fill(row, 0, columns, 0);
        }
    }

    @Override
    public void addProduct(MemorySegment left, boolean leftTransposed, MemorySegment right, boolean rightTransposed,
        int depth) {
        int paddedDepth = roundUp(depth, DoubleKernel.DEPTH_STEP);
        load(left, leftTransposed, a, rows, depth);
        load(right, rightTransposed, b, depth, columns);
        for (int i = 0; i < rows; i++) {
            Arrays.fill(a[i], depth, paddedDepth, 0);
        }
        for (int k = depth; k < paddedDepth; k++) {
            Arrays.fill(b[k], 0, columns, 0);
        }
        DoubleKernel.multiplyAdd(c, a, b, roundUp(rows, DoubleKernel.ROW_STEP), columns, paddedDepth);
    }

    private static void load(MemorySegment from, boolean transposed, double[][] tile, int height, int width) {
        for (int i = 0; i < height; i++) {
            double[] row = tile[i];
            if (transposed) {
                for (int j = 0; j < width; j++) {
                    row[j] = from.get(DOUBLE, 8L * ((long) j * height + i));
                }
            } else {
                MemorySegment.copy(from, DOUBLE, 8L * i * width, row, 0, width);
            }
        }
    }

    @Override
    public void store(MemorySegment target, long offset, long pitch, Scale alpha, Scale beta) {
        double factor = Double.longBitsToDouble(alpha.re());
        double old = Double.longBitsToDouble(beta.re());
        for (int i = 0; i < rows; i++) {
            double[] row = c[i];
            long at = offset + i * pitch;
            for (int j = 0; j < columns; j++) {
                double sum = factor * row[j];
                target.set(DOUBLE, at + 8L * j, old == 0 ? sum : sum + old * target.get(DOUBLE, at + 8L * j));
            }
        }
    }
}
