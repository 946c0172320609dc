package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MedianIntervalTest {
    /** By tables of the sign test: 93.75 % for all of 5, 93 % for 6 in the middle of 8, 96 % for 8 of 12. */
    @Test
    void shouldLeaveOutAsManyAsTheBinomialDistributionAllows() {
        assertEquals(0, MedianInterval.leftOut(1));
        assertEquals(0, MedianInterval.leftOut(4));
        assertEquals(0, MedianInterval.leftOut(5));
        assertEquals(0, MedianInterval.leftOut(7));
        assertEquals(1, MedianInterval.leftOut(8));
        assertEquals(1, MedianInterval.leftOut(10));
        assertEquals(2, MedianInterval.leftOut(12));
        assertEquals(5, MedianInterval.leftOut(20));
    }

    @Test
    void shouldHaveTheMedianAsOftenAsItSays() {
        Random random = new Random(7);
        int rounds = 10_000;
        long had = IntStream.range(0, rounds).filter(i -> {
            MedianInterval interval = MedianInterval.of(random.doubles(10).toArray());
            return interval.from() <= 0.5 && interval.to() >= 0.5;
        }).count();
        assertTrue(had >= MedianInterval.LEAST_SURE * rounds, () -> had + " of " + rounds);
    }

    @Test
    void shouldMeetAnAimOnlyWhenAllOfItDoes() {
        assertEquals(true, MedianInterval.of(99, 98.1, 98).isMet(Reach.atLeast(98)));
        assertEquals(false, MedianInterval.of(97, 97.9).isMet(Reach.atLeast(98)));
        assertNull(MedianInterval.of(97.9, 99).isMet(Reach.atLeast(98)));
        assertEquals("97.9000 to 99.0000", MedianInterval.of(99, 97.9).toString());
    }
}
