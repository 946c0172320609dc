package org.tributary.cooperation;

/**
 * Which one-way requests of a source have been executed. Requests for different targets are executed in any order, but
 * an acknowledgement tells only the number up to which all have been. A bit for each request beyond that number; the
 * memory grows with the requests under way. Owned by the event loop.
 */
final class Executed {
    private long[] bits = new long[1];
    private long issued;
    private long prefix;

    /** One more request; returns its number, from 1. */
    long issue() {
        if (++issued - prefix > bits.length * (long) Long.SIZE) {
            grow();
        }
        return issued;
    }

    void executed(long number) {
        if (number == prefix + 1 && prefix + 1 == issued) {
            prefix++;
            return;
        }
        bits[word(number)] |= 1L << number;
        while (prefix < issued && (bits[word(prefix + 1)] & 1L << (prefix + 1)) != 0) {
            prefix++;
            bits[word(prefix)] &= ~(1L << prefix);
        }
    }

    /** All requests up to this number have been executed. */
    long prefix() {
        return prefix;
    }

    long issued() {
        return issued;
    }

    private int word(long number) {
        return (int) (number >>> 6) & bits.length - 1;
    }

    private void grow() {
        long[] more = new long[2 * bits.length];
        for (long number = prefix + 1; number < issued; number++) {
            if ((bits[word(number)] & 1L << number) != 0) {
                more[(int) (number >>> 6) & more.length - 1] |= 1L << number;
            }
        }
        bits = more;
    }
}
