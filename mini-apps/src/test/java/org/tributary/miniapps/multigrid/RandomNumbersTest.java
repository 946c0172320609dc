package org.tributary.miniapps.multigrid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RandomNumbersTest {
    private static final double HALF = 0x1p23;
    private static final double FACTOR = Math.pow(5, 13);

    /** As the report does it in doubles, by halves of 23 bits. */
    private static double nextInDoubles(double x) {
        double upper = Math.floor(x / HALF);
        double lower = x - HALF * upper;
        double factorUpper = Math.floor(FACTOR / HALF);
        double factorLower = FACTOR - HALF * factorUpper;
        double middle = factorUpper * lower + factorLower * upper;
        double carried = middle - HALF * Math.floor(middle / HALF);
        double sum = HALF * carried + factorLower * lower;
        return sum - HALF * HALF * Math.floor(sum / (HALF * HALF));
    }

    @Test
    void shouldAgreeWithDoubleArithmeticToTheBit() {
        RandomNumbers numbers = new RandomNumbers(0);
        double expected = 314_159_265;
        for (int i = 0; i < 100_000; i++) {
            expected = nextInDoubles(expected);
            assertEquals(expected, (double) numbers.next());
        }
    }

    @Test
    void shouldBeginAnywhereInTheSequence() {
        RandomNumbers numbers = new RandomNumbers(0);
        for (int i = 0; i < 1_000; i++) {
            assertEquals(numbers.next(), new RandomNumbers(i).next());
        }
    }
}
