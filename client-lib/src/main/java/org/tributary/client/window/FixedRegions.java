package org.tributary.client.window;

import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.Internals;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.segment.SegmentAccess;

/** One range of one memory for each member, known to all members from the beginning. */
final class FixedRegions implements Regions {
    private static final int NUMBERS = 3;

    private final String window;
    private final Group group;
    private final GlobalMemory memory;
    private final SegmentAccess parts;
    private final boolean owned;
    private final long[] all;
    private final long[] lastDisplacements;
    private long found;

    /** Collective: every member says which range of its part it gives. */
    FixedRegions(String window, Group group, GlobalMemory memory, boolean owned, long offset, long bytes, int unit) {
        this.window = window;
        this.group = group;
        this.memory = memory;
        this.parts = Internals.access(memory);
        this.owned = owned;
        this.all = group.allgather(new long[] {offset, bytes, unit});
        this.lastDisplacements = new long[group.size()];
        for (int member = 0; member < group.size(); member++) {
            int rank = group.worldRank(member);
            long begin = all[NUMBERS * member];
            if (begin < 0 || bytes(member) < 0 || begin > memory.bytes(rank) - bytes(member)) {
                throw new InvalidAddressException(window + " reaches outside the memory it is created over", rank,
                    memory.id(), begin, bytes(member), memory.bytes(rank));
            }
            if (unit(member) <= 0) {
                throw new IllegalArgumentException(window + ": rank " + rank + " gives a displacement unit of "
                    + unit(member));
            }
            lastDisplacements[member] = bytes(member) / unit(member);
        }
    }

    @Override
    public void resolve(int member, long displacement, long low, long high) {
        long limit = bytes(member);
        int unit = unit(member);
        if (displacement < 0 || displacement > lastDisplacements[member] || displacement * unit + low < 0
            || displacement * unit > limit - high) {
            throw new InvalidAddressException(window + ": displacement " + displacement + " of unit " + unit
                + " with " + (high - low) + " bytes is outside the window", group.worldRank(member), memory.id(),
                displacement * unit, high - low, limit);
        }
        found = all[NUMBERS * member] + displacement * unit;
    }

    @Override
    public SegmentAccess memory() {
        return parts;
    }

    @Override
    public long offset() {
        return found;
    }

    @Override
    public long bytes(int member) {
        return all[NUMBERS * member + 1];
    }

    @Override
    public int unit(int member) {
        return (int) all[NUMBERS * member + 2];
    }

    @Override
    public void close() {
        if (owned) {
            memory.close();
        }
    }
}
