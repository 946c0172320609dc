package org.tributary.miniapps.matmul;

import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;
import org.tributary.client.Gas;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Scale;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.LocalBuffer;
import org.tributary.globalarrays.Scalar;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.kernel.TileProduct;
import org.tributary.globalarrays.kernel.TileProducts;
import org.tributary.miniapps.TaskCounter;
import org.tributary.wire.shape.ElementType;

/**
 * The product as tasks, one for each tile of C. A rank that is free draws the next number from a counter that all
 * share, sums the products of the tiles of A and B that belong to it, fetching the next two while it multiplies two,
 * and accumulates the tile into C, whichever rank owns it. A slow rank just draws fewer tasks. One thread a rank.
 */
final class TileTasks implements AutoCloseable {
    private final GlobalArray a;
    private final GlobalArray b;
    private final GlobalArray c;
    private final TaskCounter counter;
    private final long size;
    private final int tile;
    private final long perSide;
    private final TileProduct product;
    private final Factors first;
    private final Factors second;
    private final MemorySegment result;
    private final Scale one;
    private final Scale zero;
    private long done;

    /** Prepares the tasks of {@code c += a b}, all of them square of the same size. Collective. */
    TileTasks(Gas gas, GlobalArray a, GlobalArray b, GlobalArray c, int tile) {
        this.a = a;
        this.b = b;
        this.c = c;
        this.tile = tile;
        size = c.dims()[0];
        perSide = Math.ceilDiv(size, tile);
        counter = new TaskCounter(gas, perSide * perSide);
        product = TileProducts.of(c.type(), tile, tile, tile);
        first = new Factors(gas);
        second = new Factors(gas);
        result = buffer();
        boolean single = c.type() == ElementType.FLOAT;
        one = Scale.one(c.type());
        zero = single ? Scale.ofFloat(0) : Scale.ofDouble(0);
    }

    long count() {
        return counter.count();
    }

    /** Tasks that this rank has done so far. */
    long done() {
        return done;
    }

    /** Puts all tasks back. Collective. */
    void reset() {
        counter.reset();
    }

    /**
     * Does tasks until none is left and all are accumulated. Collective.
     *
     * @param begun takes the number of each task that this rank begins
     */
    void run(LongConsumer begun) {
        counter.drawAll(begun, this::compute);
        c.barrier();
    }

    private void compute(long task) {
        long row = task / perSide * tile;
        long column = task % perSide * tile;
        Patch patch = Patch.of(row, end(row), column, end(column));
        multiply(patch);
        product.store(result, 0, patch.extent(1) * c.type().sizeInBytes(), one, zero);
        c.accumulate(patch, LocalBuffer.of(result), Scalar.ONE);
        done++;
    }

    private long end(long start) {
        return Math.min(start + tile, size);
    }

    private void multiply(Patch patch) {
        product.begin((int) patch.extent(0), (int) patch.extent(1));
        Factors now = first;
        Factors next = second;
        now.fetch(patch, 0);
        for (long k = 0; k < size; k += tile) {
            if (k + tile < size) {
                next.fetch(patch, k + tile);
            }
            now.arrival.await();
            product.addProduct(now.tileOfA, false, now.tileOfB, false, (int) (end(k) - k));
            Factors finished = now;
            now = next;
            next = finished;
        }
    }

    /** Closes the counter, and frees what the tiles took. Collective. */
    @Override
    public void close() {
        try {
            Handle.awaitAll(first.arrival, second.arrival); // the tiles' memory goes with the product
        } catch (RuntimeException e) {
            // The failure that has ended the tasks early, or one that came with it.
        }
        product.close();
        counter.close();
    }

    private MemorySegment buffer() {
        return product.allocate((long) tile * tile * c.type().sizeInBytes());
    }

    /** A tile of A and one of B, perhaps still on their way. */
    private final class Factors {
        private final Handle arrival;
        private final MemorySegment tileOfA = buffer();
        private final MemorySegment tileOfB = buffer();

        Factors(Gas gas) {
            arrival = gas.handle();
        }

        void fetch(Patch patch, long k) {
            a.nbGet(arrival, Patch.of(patch.lo(0), patch.hi(0), k, end(k)), LocalBuffer.of(tileOfA));
            b.nbGet(arrival, Patch.of(k, end(k), patch.lo(1), patch.hi(1)), LocalBuffer.of(tileOfB));
        }
    }
}
