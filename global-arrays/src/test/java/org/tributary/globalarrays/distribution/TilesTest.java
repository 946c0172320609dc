package org.tributary.globalarrays.distribution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class TilesTest {
    @Property(tries = 300)
    void shouldCoverEachElementOnceInTilesOfLimitedSize(@ForAll long seed,
        @ForAll @IntRange(min = 1, max = 40) int limit) {
        Random random = new Random(seed);
        Patch patch = Indices.randomPatch(new long[] {7, 5, 6}, random);
        Set<List<Long>> seen = new HashSet<>();
        Tiles.forEach(patch, limit, tile -> {
            assertTrue(tile.elementCount() <= limit && !tile.isEmpty(), tile::toString);
            Indices.forEach(tile, index -> assertTrue(seen.add(List.of(index[0], index[1], index[2]))));
        });
        assertEquals(patch.elementCount(), seen.size());
    }

    @Property(tries = 300)
    void shouldVisitRowsInOrder(@ForAll long seed) {
        Patch patch = Indices.randomPatch(new long[] {4, 3, 9}, new Random(seed));
        long[] next = {0};
        Tiles.forEachRow(patch, (index, count) -> {
            assertEquals(next[0], Indices.position(patch, index));
            next[0] += count;
        });
        assertEquals(patch.elementCount(), next[0]);
    }

    @Test
    void shouldSplitLongRows() {
        long length = 2L * Tiles.ROW_LIMIT + 5;
        long[] sum = new long[2];
        Tiles.forEachRow(Patch.of(10, 10 + length), (index, count) -> {
            assertEquals(10 + sum[0], index[0]);
            assertTrue(count <= Tiles.ROW_LIMIT);
            sum[0] += count;
            sum[1]++;
        });
        assertEquals(length, sum[0]);
        assertEquals(3, sum[1]);
    }
}
