package org.tributary.miniapps.multigrid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.tributary.client.Gas;
import org.tributary.miniapps.exchange.BlockBorders;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.ExchangeOptions;
import org.tributary.miniapps.exchange.Neighbourhood;

/**
 * Fills the ghost points of grids of one level with the points of the 26 neighbours. In directions that lead back to
 * the rank itself it copies; the others go through one exchange together, and meanwhile it copies. Without other ranks
 * there is no exchange.
 */
final class GhostPoints implements AutoCloseable {
    private final Neighbourhood neighbourhood;
    private final Box[] borders;
    private final Box[] ghosts;
    private final Exchange exchange;
    private final double[] message;

    /** A box of points; the upper bounds are not part of it. */
    private record Box(int[] low, int[] high) {
        int width() {
            return high[2] - low[2];
        }
    }

    /** For grids of these extents; collective. */
    GhostPoints(Gas gas, ExchangeOptions options, Neighbourhood neighbourhood, int... extents) {
        this.neighbourhood = neighbourhood;
        BlockBorders layer = new BlockBorders((direction, d) -> neighbourhood.offset(direction)[d], extents);
        int count = neighbourhood.count();
        borders = IntStream.range(0, count)
            .mapToObj(j -> new Box(layer.low(j, false), layer.high(j, false))).toArray(Box[]::new);
        ghosts = IntStream.range(0, count)
            .mapToObj(j -> new Box(layer.low(j, true), layer.high(j, true))).toArray(Box[]::new);
        long[] bytes = LongStream.range(0, count)
            .map(j -> isOwn((int) j) ? 0 : (long) layer.count((int) j) * Double.BYTES).toArray();
        long longest = LongStream.of(bytes).max().orElseThrow();
        exchange = longest == 0 ? null : options.open(gas, neighbourhood, bytes);
        message = new double[Math.toIntExact(longest / Double.BYTES)];
    }

    private boolean isOwn(int direction) {
        return neighbourhood.rank(direction) == neighbourhood.self();
    }

    /** Fills all ghost points of a grid; every rank does. */
    void fill(Grid grid) {
        if (exchange == null) {
            copyOwn(grid);
            return;
        }
        for (int direction = 0; direction < borders.length; direction++) {
            if (!isOwn(direction)) {
                pack(grid, borders[direction], exchange.outgoing(direction));
            }
        }
        exchange.issue();
        copyOwn(grid);
        exchange.finish();
        for (int direction = 0; direction < ghosts.length; direction++) {
            if (!isOwn(direction)) {
                unpack(exchange.incoming(direction), grid, ghosts[direction]);
            }
        }
    }

    private void copyOwn(Grid grid) {
        for (int direction = 0; direction < ghosts.length; direction++) {
            if (isOwn(direction)) {
                copy(grid, borders[neighbourhood.opposite(direction)], ghosts[direction]);
            }
        }
    }

    private static void copy(Grid grid, Box from, Box to) {
        int up = to.low[0] - from.low[0];
        int aside = to.low[1] - from.low[1];
        int width = from.width();
        for (int z = from.low[0]; z < from.high[0]; z++) {
            for (int y = from.low[1]; y < from.high[1]; y++) {
                double[] source = grid.row(z, y);
                double[] target = grid.row(z + up, y + aside);
                if (width == 1) { // most rows
                    target[to.low[2] + 1] = source[from.low[2] + 1];
                } else {
                    System.arraycopy(source, from.low[2] + 1, target, to.low[2] + 1, width);
                }
            }
        }
    }

    private void pack(Grid grid, Box box, MemorySegment to) {
        int at = 0;
        for (int z = box.low[0]; z < box.high[0]; z++) {
            for (int y = box.low[1]; y < box.high[1]; y++) {
                System.arraycopy(grid.row(z, y), box.low[2] + 1, message, at, box.width());
                at += box.width();
            }
        }
        MemorySegment.copy(message, 0, to, ValueLayout.JAVA_DOUBLE, 0, at);
    }

    private void unpack(MemorySegment from, Grid grid, Box box) {
        MemorySegment.copy(from, ValueLayout.JAVA_DOUBLE, 0, message, 0, (int) (from.byteSize() / Double.BYTES));
        int at = 0;
        for (int z = box.low[0]; z < box.high[0]; z++) {
            for (int y = box.low[1]; y < box.high[1]; y++) {
                System.arraycopy(message, at, grid.row(z, y), box.low[2] + 1, box.width());
                at += box.width();
            }
        }
    }

    @Override
    public void close() {
        if (exchange != null) {
            exchange.close();
        }
    }
}
