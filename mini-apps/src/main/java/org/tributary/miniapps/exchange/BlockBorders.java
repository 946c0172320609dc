package org.tributary.miniapps.exchange;

import java.util.function.IntBinaryOperator;

/**
 * Where the border of a block and the ghosts around it lie, by direction, for a layer of one cell. Cells are counted
 * from 0, ghosts have the numbers -1 and that of cells. A range has a lower corner, and an upper one that is not part
 * of it. Immutable.
 */
public final class BlockBorders {
    private final IntBinaryOperator offset;
    private final int[] extents;

    /** {@code offset} gives the step of a direction along a dimension, {@code extents} are the cells along each. */
    public BlockBorders(IntBinaryOperator offset, int... extents) {
        this.offset = offset;
        this.extents = extents.clone();
    }

    /** The lower corner of the cells that a neighbour gets, or, if {@code ghost}, of those that come from it. */
    public int[] low(int direction, boolean ghost) {
        return corner(direction, ghost, 0);
    }

    /** The upper corner of the same. */
    public int[] high(int direction, boolean ghost) {
        return corner(direction, ghost, 1);
    }

    private int[] corner(int direction, boolean ghost, int end) {
        int[] corner = new int[extents.length];
        for (int d = 0; d < extents.length; d++) {
            corner[d] = end + switch (offset.applyAsInt(direction, d)) {
                case -1 -> ghost ? -1 : 0;
                case 1 -> ghost ? extents[d] : extents[d] - 1;
                default -> end * (extents[d] - 1);
            };
        }
        return corner;
    }

    /** How many cells a neighbour gets. */
    public int count(int direction) {
        int[] low = low(direction, false);
        int[] high = high(direction, false);
        int count = 1;
        for (int d = 0; d < extents.length; d++) {
            count = Math.multiplyExact(count, high[d] - low[d]);
        }
        return count;
    }
}
