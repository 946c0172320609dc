package org.tributary.globalarrays;

import java.lang.foreign.MemorySegment;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Scale;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.kernel.TileProduct;
import org.tributary.globalarrays.kernel.TileProducts;
import org.tributary.wire.shape.ElementType;

/**
 * The product of two matrices, owner computes: each rank goes through its block of the result tile by tile, fetches the
 * tiles of both operands along the inner dimension, and multiplies one pair while the next is on its way. This is the
 * one-sided form of SUMMA (van de Geijn and Watts, 1997) without its broadcasts, as in SRUMMA (Krishnan and Nieplocha,
 * 2004).
 */
final class MatrixMultiply {
    /** Longest side of a tile: three of them in double precision fit a second-level cache of 2 MiB. */
    private static final int TILE = 256;

    private final boolean transposedA;
    private final GlobalArray a;
    private final boolean transposedB;
    private final GlobalArray b;
    private final GlobalArray c;
    private final long depth;

    MatrixMultiply(boolean transposedA, GlobalArray a, boolean transposedB, GlobalArray b, GlobalArray c) {
        ArrayChecks.matrix(a.alive());
        ArrayChecks.matrix(b.alive());
        ArrayChecks.matrix(c.alive());
        this.transposedA = transposedA;
        this.transposedB = transposedB;
        this.a = a;
        this.b = b;
        this.c = c;
        depth = a.dims()[transposedA ? 0 : 1];
        check();
    }

    private void check() {
        ArrayChecks.sameRanks(c, a);
        ArrayChecks.sameRanks(c, b);
        if (c.type() == ElementType.INT || c.type() == ElementType.LONG) {
            throw new ArrayShapeException(c.name(), "there is no matrix product of elements of type " + c.type());
        }
        if (a == c || b == c) {
            throw new ArrayShapeException(c.name(), "it cannot be a factor of its own product");
        }
        long rows = a.dims()[transposedA ? 1 : 0];
        long columns = b.dims()[transposedB ? 0 : 1];
        long depthOfB = b.dims()[transposedB ? 1 : 0];
        if (a.type() != c.type() || b.type() != c.type() || depthOfB != depth || c.dims()[0] != rows
            || c.dims()[1] != columns) {
            throw new ArrayShapeException(c.name(), ArrayChecks.describe(c) + " is not the shape of the product of "
                + side(a, transposedA) + " and " + side(b, transposedB));
        }
        TileProducts.by(c.type()); // throws here, before others wait
    }

    private static String side(GlobalArray array, boolean transposed) {
        return "array '" + array.name() + "', " + ArrayChecks.describe(array) + (transposed ? ", transposed" : "");
    }

    /** Computes this rank's block. Collective. */
    void run(Scalar alpha, Scalar beta) {
        Scale alphaScale = alpha.toScale(c.name(), c.type());
        Scale betaScale = beta.toScale(c.name(), c.type());
        c.barrier();
        Patch own = c.access().patch();
        if (!own.isEmpty()) {
            int rows = (int) Math.min(TILE, own.extent(0));
            int columns = (int) Math.min(TILE, own.extent(1));
            int inner = (int) Math.min(TILE, depth);
            try (TileProduct product = TileProducts.of(c.type(), rows, columns, inner)) {
                Stage now = new Stage(product, rows, columns, inner);
                Stage next = new Stage(product, rows, columns, inner);
                try {
                    multiply(own, product, now, next, alphaScale, betaScale);
                } catch (RuntimeException | Error e) {
                    settle(e, now.handle, next.handle);
                    throw e;
                }
            }
        }
        c.meet();
    }

    /** Lets what is on its way into tiles arrive, or fail: their memory goes with the product. */
    private static void settle(Throwable failure, Handle... handles) {
        try {
            Handle.awaitAll(handles);
        } catch (RuntimeException e) {
            if (e != failure) {
                failure.addSuppressed(e);
            }
        }
    }

    private void multiply(Patch own, TileProduct product, Stage now, Stage next, Scale alpha, Scale beta) {
        for (long i = own.lo(0); i < own.hi(0); i += TILE) {
            for (long j = own.lo(1); j < own.hi(1); j += TILE) {
                tile(Patch.of(i, Math.min(i + TILE, own.hi(0)), j, Math.min(j + TILE, own.hi(1))), product, now,
                    next);
                Block block = c.access();
                product.store(block.segment(), block.offset(i, j), block.stride(0), alpha, beta);
            }
        }
    }

    private void tile(Patch tile, TileProduct product, Stage first, Stage second) {
        product.begin((int) tile.extent(0), (int) tile.extent(1));
        Stage now = first;
        Stage next = second;
        now.fetch(tile, 0);
        for (long k = 0; k < depth; k += TILE) {
            if (k + TILE < depth) {
                next.fetch(tile, k + TILE);
            }
            now.handle.await();
            product.addProduct(now.tileA, transposedA, now.tileB, transposedB, (int) Math.min(TILE, depth - k));
            Stage done = now;
            now = next;
            next = done;
        }
    }

    /** Buffers for one tile of each operand. */
    private final class Stage {
        private final Handle handle = c.gas().handle();
        private final MemorySegment tileA;
        private final MemorySegment tileB;

        Stage(TileProduct product, int rows, int columns, int inner) {
            tileA = product.allocate((long) rows * inner * c.type().sizeInBytes());
            tileB = product.allocate((long) inner * columns * c.type().sizeInBytes());
        }

        /** Starts to read what the tile of the result needs from inner index {@code k} on. */
        void fetch(Patch tile, long k) {
            long end = Math.min(k + TILE, depth);
            a.nbGet(handle, transposedA ? Patch.of(k, end, tile.lo(0), tile.hi(0))
                : Patch.of(tile.lo(0), tile.hi(0), k, end), LocalBuffer.of(tileA));
            b.nbGet(handle, transposedB ? Patch.of(tile.lo(1), tile.hi(1), k, end)
                : Patch.of(k, end, tile.lo(1), tile.hi(1)), LocalBuffer.of(tileB));
        }
    }
}
