package org.tributary.globalarrays.distribution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DistributionTest {
    @Test
    void shouldGiveTheLongerBlocksToTheFirstOwners() {
        Distribution distribution = Distribution.regular(4, new long[] {10}, new long[] {1});
        assertEquals(Patch.of(0, 3), distribution.patchOf(0));
        assertEquals(Patch.of(3, 6), distribution.patchOf(1));
        assertEquals(Patch.of(6, 8), distribution.patchOf(2));
        assertEquals(Patch.of(8, 10), distribution.patchOf(3));
        assertEquals(2, distribution.ownerOf(6));
    }

    @Test
    void shouldLeaveOwnersWithoutElementsWhenThereAreFewer() {
        Distribution distribution = Distribution.regular(5, new long[] {3}, new long[] {1});
        assertEquals(3, distribution.blockCount());
        assertTrue(distribution.patchOf(3).isEmpty());
        assertTrue(distribution.patchOf(4).isEmpty());
        assertEquals(5, distribution.owners());
    }

    @Test
    void shouldDealGivenBlocksInRowMajorOrder() {
        Distribution distribution = Distribution.irregular(6, new long[] {10, 8},
            new long[][] {{0, 7}, {0, 1, 5}});
        assertEquals(Patch.of(0, 7, 1, 5), distribution.patchOf(1));
        assertEquals(Patch.of(7, 10, 5, 8), distribution.patchOf(5));
        assertEquals(4, distribution.ownerOf(9, 4));
        assertEquals(List.of(new Piece(1, Patch.of(6, 7, 4, 5)), new Piece(2, Patch.of(6, 7, 5, 6)),
            new Piece(4, Patch.of(7, 8, 4, 5)), new Piece(5, Patch.of(7, 8, 5, 6))),
            distribution.pieces(Patch.of(6, 8, 4, 6)));
    }

    @Test
    void shouldKeepADimensionWholeWhenItsMinimumChunkSaysSo() {
        Distribution distribution = Distribution.regular(4, new long[] {100, 100}, new long[] {1, 100});
        assertEquals(4, distribution.blockCount(0));
        assertEquals(1, distribution.blockCount(1));
    }

    @Test
    void shouldWorkBeyondIntRange() {
        long[] dims = {5_000_000_000L, 3_000_000_000L};
        Distribution distribution = Distribution.regular(64, dims, new long[] {1, 1});
        assertEquals(64, distribution.blockCount());
        assertEquals(63, distribution.ownerOf(4_999_999_999L, 2_999_999_999L));
        assertTrue(distribution.patchOf(17).contains(distribution.patchOf(17).lo()));
        assertEquals(17, distribution.ownerOf(distribution.patchOf(17).lo()));
    }

    @Test
    void shouldTellEqualBlockMaps() {
        Distribution even = Distribution.regular(2, new long[] {9}, new long[] {1});
        assertTrue(even.sameBlocks(Distribution.irregular(7, new long[] {9}, new long[][] {{0, 5}})));
        assertFalse(even.sameBlocks(Distribution.irregular(2, new long[] {9}, new long[][] {{0, 4}})));
        assertFalse(even.sameBlocks(Distribution.regular(2, new long[] {10}, new long[] {1})));
    }

    @Test
    void shouldSayWhatIsWrongWithADescription() {
        refused("3 blocks for 2 ranks", () -> Distribution.irregular(2, new long[] {9}, new long[][] {{0, 2, 4}}));
        refused("must begin with 0", () -> Distribution.irregular(2, new long[] {9}, new long[][] {{1, 2}}));
        refused("must rise and stay below its length 9",
            () -> Distribution.irregular(2, new long[] {9}, new long[][] {{0, 9}}));
        refused("must rise", () -> Distribution.irregular(3, new long[] {9}, new long[][] {{0, 4, 4}}));
        refused("1 to 7 dimensions, not 8", () -> Distribution.regular(1, new long[8], new long[8]));
        refused("length 0 of dimension 1", () -> Distribution.regular(1, new long[] {1, 0}, new long[] {1, 1}));
        refused("minimum chunk 0", () -> Distribution.regular(1, new long[] {4}, new long[] {0}));
        refused("1 rank or more, not 0", () -> Distribution.regular(0, new long[] {4, 4}, new long[] {1, 1}));
        refused("1 rank or more, not 0", () -> Distribution.irregular(0, new long[] {4}, new long[][] {{0}}));
    }

    private static void refused(String message, Runnable description) {
        String actual = assertThrows(IllegalArgumentException.class, description::run).getMessage();
        assertTrue(actual.contains(message), actual);
    }

    @Test
    void shouldChooseSensibleGrids() {
        grid(new int[] {2, 2}, 4, 1000, 1000);
        grid(new int[] {2, 1}, 2, 1000, 1000);
        grid(new int[] {32, 32}, 1024, 10_000, 10_000);
        grid(new int[] {10, 10}, 101, 10_000, 10_000);
        grid(new int[] {4, 1}, 4, 1000, 10);
        grid(new int[] {4, 3}, 12, 4, 3);
        grid(new int[] {2, 2, 2}, 8, 64, 64, 64);
        grid(new int[] {3, 4}, 13, 3, 4);
        grid(new int[] {1, 1, 7}, 7, 2, 2, 70);
    }

    private static void grid(int[] expected, int owners, long... dims) {
        long[] ones = new long[dims.length];
        Arrays.fill(ones, 1);
        assertArrayEquals(expected, GridSearch.choose(owners, dims, ones));
    }
}
