package org.tributary.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.tributary.client.shape.Ranges;

/** Random ranges that do not overlap, in one order locally and in another remotely. */
final class RangeList {
    /** What happens to one range. */
    interface Range {
        void at(long local, long remote, int length);
    }

    final long extent;
    private final long[] local;
    private final long[] remote;
    private final int[] lengths;

    private RangeList(long extent, long[] local, long[] remote, int[] lengths) {
        this.extent = extent;
        this.local = local;
        this.remote = remote;
        this.lengths = lengths;
    }

    /** Lengths and offsets are multiples of {@code unit}; every slot holds the longest range. */
    static RangeList random(Random random, int count, int longest, int unit) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < count; slot++) {
            slots.add(slot);
        }
        Collections.shuffle(slots, random);
        long[] local = new long[count];
        long[] remote = new long[count];
        int[] lengths = new int[count];
        for (int i = 0; i < count; i++) {
            local[i] = (long) i * longest;
            remote[i] = (long) slots.get(i) * longest;
            lengths[i] = unit * random.nextInt(longest / unit + 1);
        }
        return new RangeList((long) count * longest, local, remote, lengths);
    }

    Ranges ranges() {
        return new Ranges(local, remote, lengths);
    }

    void forEach(Range action) {
        for (int i = 0; i < lengths.length; i++) {
            action.at(local[i], remote[i], lengths[i]);
        }
    }

    @Override
    public String toString() {
        return lengths.length + " ranges in " + extent + " bytes";
    }
}
