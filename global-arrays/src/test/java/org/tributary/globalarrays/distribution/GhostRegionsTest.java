package org.tributary.globalarrays.distribution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class GhostRegionsTest {
    @Test
    void shouldWrapAroundWhenPeriodic() {
        BlockLayout layout = layout(2, new long[] {10}, 2);
        assertEquals(List.of(
            new GhostRegions.Region(Patch.of(-2, 0), Patch.of(8, 10)),
            new GhostRegions.Region(Patch.of(5, 7), Patch.of(5, 7))),
            GhostRegions.of(layout, new boolean[] {true}, 0));
    }

    @Test
    void shouldLeaveTheOutsideAloneWhenNotPeriodic() {
        BlockLayout layout = layout(2, new long[] {10}, 2);
        assertEquals(List.of(new GhostRegions.Region(Patch.of(5, 7), Patch.of(5, 7))),
            GhostRegions.of(layout, new boolean[] {false}, 0));
    }

    @Test
    void shouldHaveNoRegionsWithoutElements() {
        assertEquals(List.of(), GhostRegions.of(layout(4, new long[] {2}, 1), new boolean[] {true}, 3));
    }

    @Test
    void shouldRefuseGhostsWiderThanTheArray() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> layout(1, new long[] {3}, 4)).getMessage()
            .contains("ghost width 4 of dimension 0 is not between 0 and its length 3"));
    }

    /** Every ghost cell with a source occurs once, with the element it mirrors; one outside an open end never. */
    @Property(tries = 300)
    void shouldMirrorEveryGhostCellOnce(@ForAll @IntRange(min = 1, max = 12) int owners, @ForAll long seed) {
        Random random = new Random(seed);
        long[] dims = {1 + random.nextInt(9), 1 + random.nextInt(9), 1 + random.nextInt(4)};
        int[] widths = new int[3];
        boolean[] periodic = new boolean[3];
        for (int d = 0; d < 3; d++) {
            widths[d] = random.nextInt((int) Math.min(3, dims[d] + 1));
            periodic[d] = random.nextBoolean();
        }
        BlockLayout layout = new BlockLayout(Distribution.regular(owners, dims, new long[] {1, 1, 1}), widths, 8);
        int owner = random.nextInt(layout.distribution().blockCount());
        Map<List<Long>, List<Long>> sources = new HashMap<>();
        for (GhostRegions.Region region : GhostRegions.of(layout, periodic, owner)) {
            for (long k = 0; k < region.cells().elementCount(); k++) {
                var before = sources.put(boxed(Indices.at(region.cells(), k)), boxed(Indices.at(region.source(), k)));
                assertEquals(null, before);
            }
        }
        Patch own = layout.distribution().patchOf(owner);
        Indices.forEach(layout.allocatedPatch(owner), index ->
            assertEquals(own.contains(index) ? null : expected(index, dims, periodic), sources.get(boxed(index))));
    }

    private static List<Long> expected(long[] cell, long[] dims, boolean[] periodic) {
        long[] source = cell.clone();
        for (int d = 0; d < cell.length; d++) {
            if (cell[d] < 0 || cell[d] >= dims[d]) {
                if (!periodic[d]) {
                    return null;
                }
                source[d] = Math.floorMod(cell[d], dims[d]);
            }
        }
        return boxed(source);
    }

    private static List<Long> boxed(long[] index) {
        return Arrays.stream(index).boxed().toList();
    }

    private static BlockLayout layout(int owners, long[] dims, int width) {
        return new BlockLayout(Distribution.regular(owners, dims, new long[] {1}), new int[] {width}, 8);
    }
}
