package org.tributary.globalarrays.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.tributary.client.shape.Scale;

final class FloatProduct extends TileProduct {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final float[][] a;
    private final float[][] b;
    private final float[][] c;
    private int rows;
    private int columns;

    FloatProduct(int rows, int columns, int depth) {
        int paddedRows = roundUp(rows, FloatKernel.ROW_STEP);
        int paddedDepth = roundUp(depth, FloatKernel.DEPTH_STEP);
        a = new float[paddedRows][paddedDepth];
        b = new float[paddedDepth][columns];
        c = new float[paddedRows][columns];
    }

    @Override
    public void begin(int newRows, int newColumns) {
        rows = newRows;
        columns = newColumns;
        for (float[] row : c) {
            Arrays.fill(row, 0, columns, 0);
        }
    }

    @Override
    public void addProduct(MemorySegment left, boolean leftTransposed, MemorySegment right, boolean rightTransposed,
        int depth) {
        int paddedDepth = roundUp(depth, FloatKernel.DEPTH_STEP);
        load(left, leftTransposed, a, rows, depth);
        load(right, rightTransposed, b, depth, columns);
        for (int i = 0; i < rows; i++) {
            Arrays.fill(a[i], depth, paddedDepth, 0);
        }
        for (int k = depth; k < paddedDepth; k++) {
            Arrays.fill(b[k], 0, columns, 0);
        }
        FloatKernel.multiplyAdd(c, a, b, roundUp(rows, FloatKernel.ROW_STEP), columns, paddedDepth);
    }

    private static void load(MemorySegment from, boolean transposed, float[][] tile, int height, int width) {
        for (int i = 0; i < height; i++) {
            float[] row = tile[i];
            if (transposed) {
                for (int j = 0; j < width; j++) {
                    row[j] = from.get(FLOAT, 4L * ((long) j * height + i));
                }
            } else {
                MemorySegment.copy(from, FLOAT, 4L * i * width, row, 0, width);
            }
        }
    }

    @Override
    public void store(MemorySegment target, long offset, long pitch, Scale alpha, Scale beta) {
        float factor = Float.intBitsToFloat((int) alpha.re());
        float old = Float.intBitsToFloat((int) beta.re());
        for (int i = 0; i < rows; i++) {
            float[] row = c[i];
            long at = offset + i * pitch;
            for (int j = 0; j < columns; j++) {
                float sum = factor * row[j];
                target.set(FLOAT, at + 4L * j, old == 0 ? sum : sum + old * target.get(FLOAT, at + 4L * j));
            }
        }
    }
}
