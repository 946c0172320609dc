package org.tributary.globalarrays.distribution;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the ghost cells around a block come from. In each dimension the enlarged block falls into up to three ranges:
 * before the array, in it, and behind it; the outer two are taken from the opposite side in a periodic dimension and do
 * not exist in others. Ghost cells are all combinations of the ranges, so faces, edges and corners alike.
 */
public final class GhostRegions {
    private GhostRegions() {
    }

    /**
     * A box of ghost cells.
     *
     * @param cells  where the cells lie, in indices that go on beyond the array
     * @param source the elements they mirror: the same shape, inside the array
     */
    public record Region(Patch cells, Patch source) {
    }

    private record Range(long lo, long hi, long shift) {
    }

    /**
     * All ghost cells of an owner that have a source, each exactly once.
     *
     * @param periodic whether each dimension goes on at its other end
     */
    public static List<Region> of(BlockLayout layout, boolean[] periodic, int owner) {
        Patch own = layout.distribution().patchOf(owner);
        List<Region> regions = new ArrayList<>();
        if (!own.isEmpty()) {
            List<List<Range>> ranges = new ArrayList<>();
            for (int d = 0; d < own.dimensions(); d++) {
                ranges.add(ranges(own.lo(d), own.hi(d), layout.ghost(d), layout.distribution().dimension(d),
                    periodic[d]));
            }
            combine(own, ranges, new Range[own.dimensions()], 0, regions);
        }
        return regions;
    }

    /** The block itself first, then the ghost ranges beside it. */
    private static List<Range> ranges(long lo, long hi, int width, long length, boolean periodic) {
        List<Range> ranges = new ArrayList<>();
        ranges.add(new Range(lo, hi, 0));
        addInside(ranges, lo - width, lo, length, periodic);
        addInside(ranges, hi, hi + width, length, periodic);
        return ranges;
    }

    /** Adds the parts of [lo, hi) that lie before, in and behind [0, length), a width being at most that length. */
    private static void addInside(List<Range> ranges, long lo, long hi, long length, boolean periodic) {
        for (int turn = periodic ? -1 : 0; turn <= (periodic ? 1 : 0); turn++) {
            long from = Math.max(lo, turn * length);
            long to = Math.min(hi, (turn + 1) * length);
            if (from < to) {
                ranges.add(new Range(from, to, -turn * length));
            }
        }
    }

    private static void combine(Patch own, List<List<Range>> ranges, Range[] chosen, int d, List<Region> out) {
        if (d < chosen.length) {
            for (Range range : ranges.get(d)) {
                chosen[d] = range;
                combine(own, ranges, chosen, d + 1, out);
            }
            return;
        }
        long[] lo = new long[chosen.length];
        long[] hi = new long[chosen.length];
        long[] shift = new long[chosen.length];
        for (int i = 0; i < chosen.length; i++) {
            lo[i] = chosen[i].lo();
            hi[i] = chosen[i].hi();
            shift[i] = chosen[i].shift();
        }
        Patch cells = Patch.of(lo, hi);
        if (!cells.equals(own)) {
            out.add(new Region(cells, cells.shift(shift)));
        }
    }
}
