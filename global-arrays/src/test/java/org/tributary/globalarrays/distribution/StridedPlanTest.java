package org.tributary.globalarrays.distribution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class StridedPlanTest {
    @Test
    void shouldBeOneBlockWhenBothSidesAreDense() {
        StridedPlan plan = StridedPlan.of(Patch.whole(4, 5, 6), 8, new long[] {240, 48, 8}, new long[] {240, 48, 8});
        assertTrue(plan.isContiguous());
        assertEquals(960, plan.blockBytes());
    }

    @Test
    void shouldBeRowsWhenThePitchesDiffer() {
        StridedPlan plan = StridedPlan.of(Patch.whole(64, 64), 8, new long[] {512, 8}, new long[] {1024, 8});
        assertEquals(512, plan.blockBytes());
        assertArrayEquals(new long[] {64}, plan.counts());
        assertArrayEquals(new long[] {512}, plan.localStrides());
        assertArrayEquals(new long[] {1024}, plan.remoteStrides());
    }

    @Test
    void shouldMergeLevelsThatContinueEachOther() {
        StridedPlan plan = StridedPlan.of(Patch.whole(3, 4, 2), 8, new long[] {64, 16, 8}, new long[] {128, 32, 8});
        assertEquals(16, plan.blockBytes());
        assertArrayEquals(new long[] {12}, plan.counts());
    }

    @Property
    void shouldMoveEachElementToItsPlace(@ForAll long seed) {
        Random random = new Random(seed);
        int n = 1 + random.nextInt(5);
        long[] dims = new long[n];
        long[] local = new long[n];
        long[] remote = new long[n];
        long localStride = 4;
        long remoteStride = 4;
        for (int d = n - 1; d >= 0; d--) {
            dims[d] = 1 + random.nextInt(4);
            local[d] = localStride;
            remote[d] = remoteStride;
            localStride *= dims[d] + random.nextInt(2);
            remoteStride *= dims[d] + random.nextInt(2);
        }
        Patch patch = Patch.whole(dims);
        Map<Long, Long> expected = new HashMap<>();
        Indices.forEach(patch, index -> expected.put(at(index, local), at(index, remote)));
        Map<Long, Long> actual = new HashMap<>();
        StridedPlan plan = StridedPlan.of(patch, 4, local, remote);
        walk(plan, plan.counts().length - 1, 0, 0, actual);
        assertEquals(expected, actual);
    }

    private static long at(long[] index, long[] strides) {
        long at = 0;
        for (int d = 0; d < index.length; d++) {
            at += index[d] * strides[d];
        }
        return at;
    }

    private static void walk(StridedPlan plan, int level, long local, long remote, Map<Long, Long> moved) {
        if (level < 0) {
            for (long at = 0; at < plan.blockBytes(); at += 4) {
                moved.put(local + at, remote + at);
            }
            return;
        }
        for (long i = 0; i < plan.counts()[level]; i++) {
            walk(plan, level - 1, local + i * plan.localStrides()[level], remote + i * plan.remoteStrides()[level],
                moved);
        }
    }
}
