package org.tributary.globalarrays.distribution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Block maps against a serial model: every element of small arrays, one by one. */
class DistributionPropertyTest {
    private static final int MOST_ELEMENTS = 4000;

    /** Arrays of 1 to 7 dimensions and up to 64 owners, evenly cut or cut anywhere. */
    @Provide
    Arbitrary<Distribution> distributions() {
        return Combinators.combine(Arbitraries.integers().between(1, 7), Arbitraries.integers().between(1, 64),
            Arbitraries.of(true, false), Arbitraries.longs()).as(DistributionPropertyTest::random);
    }

    private static Distribution random(int dimensions, int owners, boolean even, long seed) {
        Random random = new Random(seed);
        long[] dims = new long[dimensions];
        int most = Math.max(2, (int) Math.pow(MOST_ELEMENTS, 1.0 / dimensions));
        Arrays.setAll(dims, d -> 1 + random.nextInt(most));
        if (even) {
            long[] chunks = new long[dimensions];
            Arrays.setAll(chunks, d -> 1 + random.nextInt((int) dims[d]));
            return Distribution.regular(owners, dims, chunks);
        }
        long[][] starts = new long[dimensions][];
        int left = owners;
        for (int d = 0; d < dimensions; d++) {
            int count = 1 + random.nextInt((int) Math.min(left, dims[d]));
            left /= count;
            long length = dims[d];
            starts[d] = LongStream.concat(LongStream.of(0),
                random.longs(1, Math.max(2, length)).limit(count - 1L)).filter(start -> start < length).sorted()
                .distinct().toArray();
        }
        return Distribution.irregular(owners, dims, starts);
    }

    @Property
    void shouldGiveEachElementToExactlyOneOwner(@ForAll("distributions") Distribution distribution) {
        long owned = 0;
        for (int owner = 0; owner < distribution.owners(); owner++) {
            Patch patch = distribution.patchOf(owner);
            owned += patch.elementCount();
            assertEquals(owner >= distribution.blockCount(), patch.isEmpty());
        }
        assertEquals(Patch.whole(distribution.dims()).elementCount(), owned);
        Indices.forEach(Patch.whole(distribution.dims()), index ->
            assertTrue(distribution.patchOf(distribution.ownerOf(index)).contains(index)));
    }

    @Property
    void shouldPartitionAnyPatchByOwner(@ForAll("distributions") Distribution distribution, @ForAll long seed) {
        Patch patch = Indices.randomPatch(distribution.dims(), new Random(seed));
        Set<Integer> owners = new HashSet<>();
        long elements = 0;
        for (Piece piece : distribution.pieces(patch)) {
            assertTrue(owners.add(piece.owner()), "owner " + piece.owner() + " twice");
            assertTrue(!piece.patch().isEmpty() && patch.contains(piece.patch()));
            elements += piece.patch().elementCount();
            Indices.forEach(piece.patch(), index -> assertEquals(piece.owner(), distribution.ownerOf(index)));
        }
        assertEquals(patch.elementCount(), elements);
    }

    @Property
    void shouldRespectMinimumChunks(@ForAll @IntRange(min = 1, max = 200) int owners,
        @ForAll @IntRange(min = 1, max = 60) int rows, @ForAll @IntRange(min = 1, max = 60) int columns,
        @ForAll @IntRange(min = 1, max = 70) int rowChunk, @ForAll @IntRange(min = 1, max = 70) int columnChunk) {
        Distribution distribution = Distribution.regular(owners, new long[] {rows, columns},
            new long[] {rowChunk, columnChunk});
        for (int owner = 0; owner < distribution.blockCount(); owner++) {
            assertTrue(distribution.patchOf(owner).extent(0) >= Math.min(rowChunk, rows));
            assertTrue(distribution.patchOf(owner).extent(1) >= Math.min(columnChunk, columns));
        }
    }

    /** No grid of nearly as many blocks has a largest block that is smaller, its neighbours' elements included. */
    @Property
    void shouldBeAsCompactAsAnyGridCan(@ForAll @IntRange(min = 1, max = 60) int owners,
        @ForAll @IntRange(min = 1, max = 80) int rows, @ForAll @IntRange(min = 1, max = 80) int columns) {
        int[] chosen = GridSearch.choose(owners, new long[] {rows, columns}, new long[] {1, 1});
        assertTrue(chosen[0] <= rows && chosen[1] <= columns && chosen[0] * chosen[1] <= owners);
        int most = (int) Math.min(owners, (long) rows * columns);
        for (int i = 1; i <= Math.min(owners, rows); i++) {
            for (int j = 1; j <= columns && i * j <= owners; j++) {
                if (i * j >= most - most / 8) {
                    assertTrue(cost(rows, chosen[0]) * cost(columns, chosen[1]) <= cost(rows, i) * cost(columns, j),
                        i + " x " + j + " is better than " + Arrays.toString(chosen));
                }
            }
        }
    }

    private static int cost(int length, int blocks) {
        return Math.ceilDiv(length, blocks) + Math.min(2, blocks - 1);
    }

    @Property
    void shouldGiveEachElementAndGhostCellAByteRangeOfItsOwn(@ForAll("distributions") Distribution distribution,
        @ForAll @IntRange(max = 2) int width, @ForAll long seed) {
        int[] ghosts = new int[distribution.dimensions()];
        Arrays.setAll(ghosts, d -> (int) Math.min(width, distribution.dimension(d)));
        if (Math.pow(1 + 2 * width, ghosts.length) > 130) {
            ghosts = new int[ghosts.length];
        }
        BlockLayout layout = new BlockLayout(distribution, ghosts, 8);
        int owner = new Random(seed).nextInt(distribution.owners());
        long[] next = {0};
        Indices.forEach(layout.allocatedPatch(owner), index -> {
            assertEquals(next[0], layout.offset(owner, index));
            next[0] += 8;
        });
        assertEquals(next[0], layout.bytes(owner));
    }
}
