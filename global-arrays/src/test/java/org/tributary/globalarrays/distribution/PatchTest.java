package org.tributary.globalarrays.distribution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PatchTest {
    @Test
    void shouldExcludeUpperBounds() {
        Patch patch = Patch.of(2, 5, 10, 11);
        assertEquals(3, patch.elementCount());
        assertTrue(patch.contains(4, 10));
        assertFalse(patch.contains(5, 10));
        assertFalse(patch.contains(4, 11));
        assertFalse(patch.contains(1, 10));
    }

    @Test
    void shouldIntersectAndBeEmptyWhenApart() {
        assertEquals(Patch.of(2, 4), Patch.of(0, 4).intersect(Patch.of(2, 9)));
        assertTrue(Patch.of(0, 2).intersect(Patch.of(5, 9)).isEmpty());
        assertTrue(Patch.of(5, 9).intersect(Patch.of(0, 2)).isEmpty());
    }

    @Test
    void shouldContainEveryEmptyPatch() {
        assertTrue(Patch.of(0, 2).contains(Patch.of(7, 7)));
        assertTrue(Patch.of(0, 4, 0, 4).contains(Patch.of(1, 4, 0, 2)));
        assertFalse(Patch.of(0, 4, 0, 4).contains(Patch.of(1, 5, 0, 2)));
    }

    @Test
    void shouldNameBoundsWhenReversedOrUneven() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> Patch.of(3, 2)).getMessage()
            .contains("upper bound 2 lies before lower bound 3 in dimension 0"));
        assertThrows(IllegalArgumentException.class, () -> Patch.of(new long[1], new long[2]));
        assertThrows(IllegalArgumentException.class, () -> Patch.of(new long[0], new long[0]));
    }

    @Test
    void shouldNotShareArraysWithItsCaller() {
        long[] lo = {1};
        Patch patch = Patch.of(lo, new long[] {4});
        lo[0] = 3;
        patch.hi()[0] = 9;
        assertEquals(Patch.of(1, 4), patch);
    }

    @Test
    void shouldCountBeyondInt() {
        assertEquals(1L << 40, Patch.whole(1 << 20, 1 << 20).elementCount());
        assertThrows(ArithmeticException.class, () -> Patch.whole(1L << 40, 1L << 40).elementCount());
    }
}
