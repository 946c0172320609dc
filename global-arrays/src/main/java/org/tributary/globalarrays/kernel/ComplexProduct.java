package org.tributary.globalarrays.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.tributary.client.shape.Scale;
import org.tributary.wire.shape.ElementType;

/**
 * Products of complex tiles: real and imaginary parts apart, four real products each. Factors of a whole tile that are
 * real work by components, as in {@link Rows#scale}.
 */
final class ComplexProduct extends TileProduct {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private final boolean single;
    private final int elementBytes;
    private final double[][] aRe;
    private final double[][] aIm;
    private final double[][] aMinusIm;
    private final double[][] bRe;
    private final double[][] bIm;
    private final double[][] cRe;
    private final double[][] cIm;
    private int rows;
    private int columns;

    ComplexProduct(ElementType type, int rows, int columns, int depth) {
        single = type == ElementType.COMPLEX_FLOAT;
        elementBytes = type.sizeInBytes();
        int paddedRows = roundUp(rows, DoubleKernel.ROW_STEP);
        int paddedDepth = roundUp(depth, DoubleKernel.DEPTH_STEP);
        aRe = new double[paddedRows][paddedDepth];
        aIm = new double[paddedRows][paddedDepth];
        aMinusIm = new double[paddedRows][paddedDepth];
        bRe = new double[paddedDepth][columns];
        bIm = new double[paddedDepth][columns];
        cRe = new double[paddedRows][columns];
        cIm = new double[paddedRows][columns];
    }

    @Override
    public void begin(int newRows, int newColumns) {
        rows = newRows;
        columns = newColumns;
        clear(cRe, 0, cRe.length);
        clear(cIm, 0, cIm.length);
    }

    private void clear(double[][] tile, int from, int to) {
        for (int i = from; i < to; i++) {
            Arrays.fill(tile[i], 0, columns, 0);
        }
    }

    @Override
    public void addProduct(MemorySegment left, boolean leftTransposed, MemorySegment right, boolean rightTransposed,
        int depth) {
        int paddedRows = roundUp(rows, DoubleKernel.ROW_STEP);
        int paddedDepth = roundUp(depth, DoubleKernel.DEPTH_STEP);
        load(left, leftTransposed, aRe, aIm, rows, depth);
        load(right, rightTransposed, bRe, bIm, depth, columns);
        for (int i = 0; i < rows; i++) {
            Arrays.fill(aRe[i], depth, paddedDepth, 0);
            Arrays.fill(aIm[i], depth, paddedDepth, 0);
            for (int k = 0; k < paddedDepth; k++) {
                aMinusIm[i][k] = -aIm[i][k];
            }
        }
        clear(bRe, depth, paddedDepth);
        clear(bIm, depth, paddedDepth);
        DoubleKernel.multiplyAdd(cRe, aRe, bRe, paddedRows, columns, paddedDepth);
        DoubleKernel.multiplyAdd(cRe, aMinusIm, bIm, paddedRows, columns, paddedDepth);
        DoubleKernel.multiplyAdd(cIm, aRe, bIm, paddedRows, columns, paddedDepth);
        DoubleKernel.multiplyAdd(cIm, aIm, bRe, paddedRows, columns, paddedDepth);
    }

    private void load(MemorySegment from, boolean transposed, double[][] re, double[][] im, int height, int width) {
        for (int i = 0; i < height; i++) {
            for (int j = 0; j < width; j++) {
                long at = elementBytes * (transposed ? (long) j * height + i : (long) i * width + j);
                re[i][j] = read(from, at);
                im[i][j] = read(from, at + elementBytes / 2);
            }
        }
    }

    @Override
    public void store(MemorySegment target, long offset, long pitch, Scale alpha, Scale beta) {
        double alphaRe = component(alpha.re());
        double alphaIm = component(alpha.im());
        double betaRe = component(beta.re());
        double betaIm = component(beta.im());
        boolean fresh = betaRe == 0 && betaIm == 0;
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                long at = offset + i * pitch + (long) elementBytes * j;
                double re = Rows.re(alphaRe, alphaIm, cRe[i][j], cIm[i][j]);
                double im = Rows.im(alphaRe, alphaIm, cRe[i][j], cIm[i][j]);
                if (!fresh) {
                    double oldRe = read(target, at);
                    double oldIm = read(target, at + elementBytes / 2);
                    re += Rows.re(betaRe, betaIm, oldRe, oldIm);
                    im += Rows.im(betaRe, betaIm, oldRe, oldIm);
                }
                write(target, at, re);
                write(target, at + elementBytes / 2, im);
            }
        }
    }

    private double component(long bits) {
        return single ? Float.intBitsToFloat((int) bits) : Double.longBitsToDouble(bits);
    }

    private double read(MemorySegment from, long at) {
        return single ? from.get(FLOAT, at) : from.get(DOUBLE, at);
    }

    private void write(MemorySegment to, long at, double value) {
        if (single) {
            to.set(FLOAT, at, (float) value);
        } else {
            to.set(DOUBLE, at, value);
        }
    }
}
