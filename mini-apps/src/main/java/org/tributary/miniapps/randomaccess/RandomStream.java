package org.tributary.miniapps.randomaccess;

/**
 * The pseudo-random numbers of the HPC Challenge RandomAccess benchmark: {@code a(0) = 1, a(n + 1) = a(n) * x} in the
 * field of polynomials over GF(2) modulo the primitive polynomial {@code x^64 + x^2 + x + 1}; the low terms are the
 * constant 7. The period is {@link #PERIOD}. Used by one thread.
 */
final class RandomStream {
    /** Numbers until the sequence repeats. */
    static final long PERIOD = 1_317_624_576_693_539_401L;
    private static final long POLYNOMIAL = 7;

    private long value;

    /** A stream whose first {@link #next()} is number {@code position + 1} of the sequence. */
    RandomStream(long position) {
        value = at(position);
    }

    long next() {
        value = timesX(value);
        return value;
    }

    private static long timesX(long polynomial) {
        return polynomial << 1 ^ polynomial >> 63 & POLYNOMIAL;
    }

    /**
     * Number {@code position} of the sequence, {@code x^position}, as by the benchmark's {@code starts}: squaring is
     * linear over GF(2), so the squares of single terms give that of any number; one square, and perhaps one more
     * factor x, for each bit of the position.
     */
    static long at(long position) {
        long exponent = Math.floorMod(position, PERIOD);
        long[] squares = new long[Long.SIZE];
        long term = 1;
        for (int i = 0; i < Long.SIZE; i++) {
            squares[i] = term;
            term = timesX(timesX(term));
        }
        long power = 1;
        for (int bit = Long.SIZE - 1 - Long.numberOfLeadingZeros(exponent); bit >= 0; bit--) {
            long square = 0;
            for (long rest = power; rest != 0; rest &= rest - 1) {
                square ^= squares[Long.numberOfTrailingZeros(rest)];
            }
            power = (exponent >> bit & 1) == 0 ? square : timesX(square);
        }
        return power;
    }
}
