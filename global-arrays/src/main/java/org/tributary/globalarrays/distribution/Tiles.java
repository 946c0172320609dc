package org.tributary.globalarrays.distribution;

import java.util.function.Consumer;

/** Cuts patches into pieces of limited size, and visits their rows, in row-major order. */
public final class Tiles {
    /** Most elements of a row that is visited at once. */
    public static final int ROW_LIMIT = 1 << 20;

    private Tiles() {
    }

    /** Visitor of rows, which are runs of elements along the last dimension. */
    public interface RowVisitor {
        /**
         * Visits {@code count} elements from an index on, along the last dimension. The visitor may step the index
         * along it; the array is reused afterwards.
         */
        void visit(long[] index, int count);
    }

    /** Visits pieces of at most {@code limit} elements, each as long as possible along the last dimensions. */
    public static void forEach(Patch patch, long limit, Consumer<Patch> visitor) {
        if (patch.isEmpty()) {
            return;
        }
        if (patch.elementCount() <= limit) {
            visitor.accept(patch);
            return;
        }
        int d = 0;
        while (patch.extent(d) == 1) {
            d++;
        }
        long inner = patch.elementCount() / patch.extent(d);
        long step = Math.max(1, limit / inner);
        for (long from = patch.lo(d); from < patch.hi(d); from += step) {
            long[] lo = patch.lo();
            long[] hi = patch.hi();
            lo[d] = from;
            hi[d] = Math.min(from + step, patch.hi(d));
            forEach(Patch.of(lo, hi), limit, visitor);
        }
    }

    /** Visits every row of a patch, long ones in parts. */
    public static void forEachRow(Patch patch, RowVisitor visitor) {
        if (!patch.isEmpty()) {
            rows(patch, patch.lo(), 0, visitor);
        }
    }

    private static void rows(Patch patch, long[] index, int d, RowVisitor visitor) {
        if (d == index.length - 1) {
            for (long from = patch.lo(d); from < patch.hi(d); from += ROW_LIMIT) {
                index[d] = from;
                visitor.visit(index, (int) Math.min(ROW_LIMIT, patch.hi(d) - from));
            }
            return;
        }
        for (long i = patch.lo(d); i < patch.hi(d); i++) {
            index[d] = i;
            rows(patch, index, d + 1, visitor);
        }
    }
}
