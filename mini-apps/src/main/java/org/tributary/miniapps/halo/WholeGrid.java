package org.tributary.miniapps.halo;

import java.util.stream.IntStream;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.exchange.ProcessGrid;

/**
 * The cells of all blocks together, numbered in row-major order, and the serial model: their first field, computed
 * without any exchange, cell by cell. The model takes memory only when it is wanted.
 */
final class WholeGrid {
    private final int[] extents = new int[3];
    private final Stencil stencil;
    private long[] now;
    private long[] next;
    private int steps;

    /** The grid of blocks that are squares or cubes. */
    WholeGrid(ProcessGrid grid, int cellsOfBlock, Stencil stencil) {
        this.stencil = stencil;
        int[] blocks = Stencil.inThreeDimensions(IntStream.range(0, grid.dimensions()).map(grid::extent).toArray(), 1);
        int unused = extents.length - grid.dimensions();
        for (int d = 0; d < extents.length; d++) {
            extents[d] = d < unused ? 1 : Math.multiplyExact(blocks[d], cellsOfBlock);
        }
    }

    long size() {
        return Math.multiplyExact((long) extents[0] * extents[1], extents[2]);
    }

    /** The number of the cell that a coordinate means, around the ends of the grid if need be. */
    long cell(int i, int j, int k) {
        return ((long) Math.floorMod(i, extents[0]) * extents[1] + Math.floorMod(j, extents[1])) * extents[2]
            + Math.floorMod(k, extents[2]);
    }

    /** Takes the memory of the model, also for computing it. */
    WholeGrid reserve(boolean computing) {
        values();
        if (computing && next == null) {
            next = new long[now.length];
            for (int cell = 0; cell < now.length; cell++) {
                now[cell] = Stencil.initial(cell);
            }
        }
        return this;
    }

    /** The model's values by number; on ranks that do not compute it, the place for them. */
    long[] values() {
        if (now == null) {
            now = new long[Math.toIntExact(size())];
        }
        return now;
    }

    /** Computes steps one by one until this many have been, and tells how many have. */
    void advanceTo(int step, Progress progress) {
        reserve(true);
        for (; steps < step; steps++) {
            for (int i = 0; i < extents[0]; i++) {
                for (int j = 0; j < extents[1]; j++) {
                    computeRow(i, j);
                }
            }
            long[] old = now;
            now = next;
            next = old;
            progress.at(steps + 1);
        }
    }

    private void computeRow(int i, int j) {
        int to = (int) cell(i, j, 0);
        for (int k = 0; k < extents[2]; k++) {
            next[to + k] = stencil.ownWeight() * now[to + k];
        }
        for (int n = 0; n < stencil.neighbours(); n++) {
            long weight = stencil.weight(n);
            int from = (int) cell(i + stencil.offset(n, 0), j + stencil.offset(n, 1), 0);
            int source = Math.floorMod(stencil.offset(n, 2), extents[2]);
            for (int k = 0; k < extents[2]; k++) {
                next[to + k] += weight * now[from + source];
                source = source + 1 == extents[2] ? 0 : source + 1;
            }
        }
    }
}
