package org.tributary.globalarrays.kernel;

import java.lang.foreign.MemorySegment;
import org.tributary.client.shape.Scale;

/**
 * One tile of a matrix product, summed up over products of smaller tiles: {@link #begin}, any number of
 * {@link #addProduct}, {@link #store}. Reusable, used by one thread. In Java, the tiles are copied into heap arrays,
 * padded with zeros to whole steps of the kernel. Tiles of about 128 to 512 a side are best: three of them fit the
 * second-level cache, and the copies cost little beside the products.
 */
public abstract class TileProduct implements AutoCloseable {
    /** Seen only here: the element types are a closed set. */
    TileProduct() {
    }

    /**
     * Memory of {@code size} bytes for a tile or a result, which needs no copy where a library multiplies; until
     * {@link #close}, and for the thread that has made this.
     */
    public MemorySegment allocate(long size) {
        return MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(size, Long.BYTES))]);
    }

    /** Starts a sum of {@code rows x columns} zeros. */
    public abstract void begin(int rows, int columns);

    /**
     * Adds {@code op(a) op(b)}, both dense from byte 0 of their segments in row-major order.
     *
     * @param a           {@code rows x depth} elements, or {@code depth x rows} when transposed
     * @param b           {@code depth x columns} elements, or {@code columns x depth} when transposed
     */
    public abstract void addProduct(MemorySegment a, boolean aTransposed, MemorySegment b, boolean bTransposed,
        int depth);

    /**
     * {@code c = alpha sum + beta c}; where beta is 0, c is not read, so it may hold anything.
     *
     * @param offset byte offset of the first element of c
     * @param pitch  bytes between the rows of c
     * @param alpha  of the elements' type, as is {@code beta}
     */
    public abstract void store(MemorySegment c, long offset, long pitch, Scale alpha, Scale beta);

    /** Frees its memory. */
    @Override
    public void close() {
        // nothing outside the heap
    }

    /** The next multiple of a step. */
    static int roundUp(int value, int step) {
        return Math.ceilDiv(value, step) * step;
    }
}
