package org.tributary.wire.shm;

/** Numbers by chance for samples, in a nanosecond. */
final class Chance {
    private Chance() {
    }

    /** The next number after one that is not 0. Marsaglia, Xorshift RNGs, 2003. */
    static int next(int number) {
        int random = number;
        random ^= random << 13;
        random ^= random >>> 17;
        return random ^ random << 5;
    }
}
