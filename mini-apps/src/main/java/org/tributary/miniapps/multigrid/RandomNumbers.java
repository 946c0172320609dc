package org.tributary.miniapps.multigrid;

/**
 * The random numbers of NPB: {@code x(k + 1) = 5^13 x(k) mod 2^46}, from 314159265 on, as integers; divided by 2^46
 * they are numbers between 0 and 1, which a double holds exactly.
 */
final class RandomNumbers {
    private static final long MASK = (1L << 46) - 1;
    private static final long FACTOR = 1_220_703_125; // 5^13
    private static final long SEED = 314_159_265;

    private long state;

    /** Begins after the first {@code skipped} numbers. */
    RandomNumbers(long skipped) {
        state = SEED * power(skipped) & MASK;
    }

    private static long power(long exponent) {
        long result = 1;
        long square = FACTOR;
        for (long left = exponent; left > 0; left >>= 1) {
            if ((left & 1) == 1) {
                result = result * square & MASK;
            }
            square = square * square & MASK;
        }
        return result;
    }

    long next() {
        state = state * FACTOR & MASK; // the low bits of a product are right though it overflows
        return state;
    }
}
