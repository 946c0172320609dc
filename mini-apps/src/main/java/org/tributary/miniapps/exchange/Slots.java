package org.tributary.miniapps.exchange;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Places of messages in a buffer, by the direction in which they are sent, which is the same at sender and receiver.
 * Opposite directions, in which the same rank is when there are only two, lie side by side. Each place begins on
 * a cache line of its own, as different ranks write them.
 */
final class Slots {
    private static final long ALIGNMENT = 64;

    private final long[] bytes;
    private final long[] offsets;
    private final long total;

    Slots(long... bytes) {
        this.bytes = bytes.clone();
        offsets = new long[bytes.length];
        long end = 0;
        for (int i = 0; i < bytes.length; i++) {
            int direction = i % 2 == 0 ? i / 2 : bytes.length - 1 - i / 2;
            offsets[direction] = end;
            end += (bytes[direction] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
        total = end;
    }

    long bytes(int direction) {
        return bytes[direction];
    }

    long offset(int direction) {
        return offsets[direction];
    }

    /**
     * Ranges of the slots of some directions, in ascending order: beginning and end of each, neighbouring ones as one,
     * with what fills them up between. Directions without a message have none.
     *
     * @param lengths how much of each slot is wanted, by direction
     */
    long[] together(long[] lengths, int... directions) {
        long[] ranges = new long[2 * directions.length];
        int count = 0;
        int[] sorted = Arrays.stream(directions).boxed().sorted(Comparator.comparingLong(this::offset))
            .mapToInt(Integer::intValue).toArray();
        for (int direction : sorted) {
            if (lengths[direction] == 0) {
                continue;
            }
            if (count == 0 || offsets[direction] - ranges[2 * count - 1] >= ALIGNMENT) {
                ranges[2 * count++] = offsets[direction];
            }
            ranges[2 * count - 1] = offsets[direction] + lengths[direction];
        }
        return Arrays.copyOf(ranges, 2 * count);
    }

    /** Bytes of the buffer. */
    long total() {
        return total;
    }

    /** Alignment of a buffer. */
    static long alignment() {
        return ALIGNMENT;
    }
}
