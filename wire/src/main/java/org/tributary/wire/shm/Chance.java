package org.tributary.wire.shm;

/** Numbers by chance for samples, in a nanosecond. */
final class Chance {
    private static final int FIRST_SHIFT = 13;
    private static final int SECOND_SHIFT = 17;
    private static final int LAST_SHIFT = 5;

    private Chance() {
    }

    /** The next number after one that is not 0. Marsaglia, Xorshift RNGs, 2003. */
    static int next(int number) {
        int random = number;
        random ^= random << FIRST_SHIFT;
        random ^= random >>> SECOND_SHIFT;
        return random ^ random << LAST_SHIFT;
    }
}
