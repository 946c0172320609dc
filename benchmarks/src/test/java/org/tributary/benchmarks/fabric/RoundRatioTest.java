package org.tributary.benchmarks.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class RoundRatioTest {
    /** Each side has a fast and a slow state, and most rounds have both in the same one. */
    @Test
    void shouldGiveNoRatioWhenThatOfTheMediansIsAnother() {
        RoundRatio ratio = RoundRatio.of(new double[] {0.8, 0.8, 2.1, 2.1, 2.1},
            new double[] {0.7, 0.7, 1.9, 1.9, 0.7});

        assertEquals(1.143, ratio.median(), 1e-3);
        assertEquals(3, ratio.ofTheMedian(), 1e-9);
        assertNull(ratio.settled());
        assertEquals("1.11 to 3.00", ratio.range());
    }

    @Test
    void shouldGiveTheMedianOfTheRoundsWhenBothAgree() {
        RoundRatio ratio = RoundRatio.of(new double[] {1, 20, 330}, new double[] {1, 10, 100});

        assertEquals(2, ratio.settled());
        assertEquals("1.00 to 3.30", ratio.range());
        assertEquals("2.00", ratio.toString());
    }
}
