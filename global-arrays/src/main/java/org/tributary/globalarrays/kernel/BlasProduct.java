package org.tributary.globalarrays.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.tributary.client.shape.Scale;
import org.tributary.wire.shape.ElementType;

/** Tiles of doubles or floats by a {@link Blas}, in memory outside the heap; tiles in the heap are copied there. */
final class BlasProduct extends TileProduct {
    private static final long ALIGNMENT = 64;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private final Arena arena = Arena.ofConfined();
    private final Blas blas;
    private final boolean isSingle;
    private final int bytes;
    private final int mostRows;
    private final int mostColumns;
    private final int longestDepth;
    private final MemorySegment sum;
    /** Null while all tiles are outside the heap. */
    private MemorySegment copyOfA;
    private MemorySegment copyOfB;
    private int rows;
    private int columns;
    private boolean hasSum;

    BlasProduct(Blas blas, ElementType type, int rows, int columns, int depth) {
        this.blas = blas;
        this.isSingle = type == ElementType.FLOAT;
        this.bytes = type.sizeInBytes();
        this.mostRows = rows;
        this.mostColumns = columns;
        this.longestDepth = depth;
        this.sum = allocate((long) rows * columns * bytes);
    }

    @Override
    public MemorySegment allocate(long size) {
        return arena.allocate(size, ALIGNMENT);
    }

    @Override
    public void begin(int newRows, int newColumns) {
        Objects.checkIndex(newRows, mostRows + 1);
        Objects.checkIndex(newColumns, mostColumns + 1);
        rows = newRows;
        columns = newColumns;
        hasSum = false;
    }

    @Override
    public void addProduct(MemorySegment a, boolean aTransposed, MemorySegment b, boolean bTransposed, int depth) {
        Objects.checkIndex(depth, longestDepth + 1);
        if (rows == 0 || columns == 0 || depth == 0) {
            return; // the library takes no empty rows
        }
        MemorySegment left = a.asSlice(0, (long) rows * depth * bytes);
        MemorySegment right = b.asSlice(0, (long) depth * columns * bytes);
        if (!a.isNative()) {
            copyOfA = copyOfA == null ? allocate((long) mostRows * longestDepth * bytes) : copyOfA;
            left = copyOfA.copyFrom(left);
        }
        if (!b.isNative()) {
            copyOfB = copyOfB == null ? allocate((long) longestDepth * mostColumns * bytes) : copyOfB;
            right = copyOfB.copyFrom(right);
        }
        if (isSingle) {
            blas.addFloats(sum, rows, columns, depth, left, aTransposed, right, bTransposed, hasSum ? 1 : 0);
        } else {
            blas.addDoubles(sum, rows, columns, depth, left, aTransposed, right, bTransposed, hasSum ? 1 : 0);
        }
        hasSum = true;
    }

    @Override
    public void store(MemorySegment target, long offset, long pitch, Scale alpha, Scale beta) {
        if (!hasSum) {
            sum.asSlice(0, (long) rows * columns * bytes).fill((byte) 0);
        }
        for (int i = 0; i < rows; i++) {
            if (isSingle) {
                storeFloats((long) i * columns, target, offset + i * pitch, Float.intBitsToFloat((int) alpha.re()),
                    Float.intBitsToFloat((int) beta.re()));
            } else {
                storeDoubles((long) i * columns, target, offset + i * pitch, Double.longBitsToDouble(alpha.re()),
                    Double.longBitsToDouble(beta.re()));
            }
        }
    }

    @Override
    public void close() {
        arena.close();
    }

    private void storeFloats(long from, MemorySegment target, long at, float factor, float old) {
        for (int j = 0; j < columns; j++) {
            float scaled = factor * sum.get(FLOAT, 4L * (from + j));
            target.set(FLOAT, at + 4L * j, old == 0 ? scaled : scaled + old * target.get(FLOAT, at + 4L * j));
        }
    }

    private void storeDoubles(long from, MemorySegment target, long at, double factor, double old) {
        for (int j = 0; j < columns; j++) {
            double scaled = factor * sum.get(DOUBLE, 8L * (from + j));
            target.set(DOUBLE, at + 8L * j, old == 0 ? scaled : scaled + old * target.get(DOUBLE, at + 8L * j));
        }
    }
}
