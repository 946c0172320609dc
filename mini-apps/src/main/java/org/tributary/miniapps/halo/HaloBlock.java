package org.tributary.miniapps.halo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.miniapps.exchange.BlockBorders;
import org.tributary.miniapps.exchange.Neighbourhood;

/**
 * One rank's block of the grid: some fields of {@code cells} cells in each dimension, with a layer of ghost cells
 * around them. Two dimensions are three of which the first is one cell thick, without ghosts. A message has the border
 * cells of each field in turn, in the order of memory. Cells that need no ghosts are the interior and can be updated
 * while ghosts are on their way.
 */
final class HaloBlock {
    private final Neighbourhood neighbourhood;
    private final Stencil stencil;
    private final int fields;
    private final int[] extents = new int[3];
    private final int[] ghosts = new int[3];
    private final int[] strides = new int[3];
    private final int[] origin = new int[3];
    private final BlockBorders borders;
    private long[][] now;
    private long[][] next;

    HaloBlock(Neighbourhood neighbourhood, Stencil stencil, int cells, int fields) {
        this.neighbourhood = neighbourhood;
        this.stencil = stencil;
        this.fields = fields;
        int[] coordinates =
            Stencil.inThreeDimensions(neighbourhood.grid().coordinates(neighbourhood.self()), 0);
        int unused = extents.length - neighbourhood.grid().dimensions();
        int size = 1;
        for (int d = extents.length - 1; d >= 0; d--) {
            extents[d] = d < unused ? 1 : cells;
            ghosts[d] = d < unused ? 0 : 1;
            origin[d] = coordinates[d] * extents[d];
            strides[d] = size;
            size = Math.multiplyExact(size, extents[d] + 2 * ghosts[d]);
        }
        borders = new BlockBorders(stencil::offset, extents);
        now = new long[fields][size];
        next = new long[fields][size];
    }

    /** Gives every cell its first value; ghosts stay 0. */
    void initialize(WholeGrid grid) {
        forEachRow(ownLow(), ownHigh(), (i, j, k, length) -> {
            for (int f = 0; f < fields; f++) {
                for (int c = 0; c < length; c++) {
                    now[f][index(i, j, k + c)] = Stencil.multiple(f)
                        * Stencil.initial(grid.cell(origin[0] + i, origin[1] + j, origin[2] + k + c));
                }
            }
        });
    }

    private int index(int i, int j, int k) {
        return (i + ghosts[0]) * strides[0] + (j + ghosts[1]) * strides[1] + k + ghosts[2];
    }

    private int[] ownLow() {
        return new int[extents.length];
    }

    private int[] ownHigh() {
        return extents.clone();
    }

    /** Something done with a row of cells. */
    private interface RowAction {
        void accept(int i, int j, int k, int length);
    }

    private static void forEachRow(int[] low, int[] high, RowAction action) {
        if (high[2] <= low[2]) {
            return;
        }
        for (int i = low[0]; i < high[0]; i++) {
            for (int j = low[1]; j < high[1]; j++) {
                action.accept(i, j, low[2], high[2] - low[2]);
            }
        }
    }

    long messageBytes(int direction) {
        return (long) fields * Long.BYTES * borders.count(direction);
    }

    /** Copies the cells beside a neighbour into the message to it. */
    void pack(int direction, MemorySegment message) {
        long[] at = {0};
        for (long[] field : now) {
            forEachRow(borders.low(direction, false), borders.high(direction, false), (i, j, k, length) -> {
                MemorySegment.copy(field, index(i, j, k), message, ValueLayout.JAVA_LONG, at[0], length);
                at[0] += (long) length * Long.BYTES;
            });
        }
    }

    /** Copies the message from a neighbour into the ghost cells beside it. */
    void unpack(int direction, MemorySegment message) {
        long[] at = {0};
        for (long[] field : now) {
            forEachRow(borders.low(direction, true), borders.high(direction, true), (i, j, k, length) -> {
                MemorySegment.copy(message, ValueLayout.JAVA_LONG, at[0], field, index(i, j, k), length);
                at[0] += (long) length * Long.BYTES;
            });
        }
    }

    private int interiorLow(int d) {
        return ghosts[d];
    }

    private int interiorHigh(int d) {
        return ghosts[d] == 0 ? extents[d] : Math.max(1, extents[d] - 1);
    }

    /** Computes the cells that have no ghosts for neighbours. */
    void updateInterior() {
        int[] low = ownLow();
        int[] high = ownHigh();
        for (int d = 0; d < extents.length; d++) {
            low[d] = interiorLow(d);
            high[d] = interiorHigh(d);
        }
        update(low, high);
    }

    /** Computes the others, two slabs for each dimension, and makes the new values the present ones. */
    void updateBorder() {
        int[] low = ownLow();
        int[] high = ownHigh();
        for (int d = 0; d < extents.length; d++) {
            if (ghosts[d] > 0) {
                high[d] = 1;
                update(low, high);
                low[d] = interiorHigh(d);
                high[d] = extents[d];
                update(low, high);
            }
            low[d] = interiorLow(d);
            high[d] = interiorHigh(d);
        }
        long[][] old = now;
        now = next;
        next = old;
    }

    private void update(int[] low, int[] high) {
        for (int f = 0; f < fields; f++) {
            long[] from = now[f];
            long[] to = next[f];
            forEachRow(low, high, (i, j, k, length) -> updateRow(from, to, index(i, j, k), length));
        }
    }

    private void updateRow(long[] from, long[] to, int at, int length) {
        scale(from, to, at, length, stencil.ownWeight());
        for (int n = 0; n < stencil.neighbours(); n++) {
            int shift = stencil.offset(n, 0) * strides[0] + stencil.offset(n, 1) * strides[1] + stencil.offset(n, 2);
            add(from, at + shift, to, at, length, stencil.weight(n));
        }
    }

    private static void scale(long[] from, long[] to, int at, int length, long weight) {
        for (int c = at; c < at + length; c++) {
            to[c] = weight * from[c];
        }
    }

    private static void add(long[] from, int fromAt, long[] to, int at, int length, long weight) {
        for (int c = 0; c < length; c++) {
            to[at + c] += weight * from[fromAt + c];
        }
    }

    /** Own cells that differ from those of the model. */
    long wrongCells(WholeGrid model) {
        return wrong(now, model, ownLow(), ownHigh());
    }

    /**
     * Ghost cells, of the step that has just been computed from them, that differ from those of the model before it.
     */
    long wrongGhosts(WholeGrid model) {
        long wrong = 0;
        for (int direction = 0; direction < neighbourhood.count(); direction++) {
            wrong += wrong(next, model, borders.low(direction, true), borders.high(direction, true));
        }
        return wrong;
    }

    private long wrong(long[][] values, WholeGrid model, int[] low, int[] high) {
        long[] wrong = {0};
        forEachRow(low, high, (i, j, k, length) -> {
            for (int c = 0; c < length; c++) {
                long cell = model.cell(origin[0] + i, origin[1] + j, origin[2] + k + c);
                long expected = model.values()[(int) cell];
                for (int f = 0; f < fields; f++) {
                    if (values[f][index(i, j, k + c)] != Stencil.multiple(f) * expected) {
                        wrong[0]++;
                    }
                }
            }
        });
        return wrong[0];
    }
}
