package org.tributary.client.window;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.segment.SegmentAccess;

/**
 * Ranges that members attach and detach by themselves. Each member publishes its ranges in a table that the others read
 * when they first meet a displacement in an epoch.
 *
 * <pre>
 *   displacement:  bits 63..56   55..48         47..40       39..0
 *                  0             generation     slot         offset within the range
 *   table entry:   generation + 1 or 0 when free, memory id, offset in the member's part, bytes (int64 each)
 * </pre>
 */
final class DynamicRegions implements Regions {
    /** Ranges that one member can have attached at a time. */
    static final int SLOTS = 256;
    private static final int ENTRY_BYTES = 32;
    private static final int SLOT_SHIFT = 40;
    private static final int GENERATION_SHIFT = 48;
    private static final int UNUSED_SHIFT = 56;
    private static final int MASK = 0xFF;
    private static final long OFFSET_MASK = (1L << SLOT_SHIFT) - 1;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private record Range(SegmentAccess memory, long offset, long bytes) {
    }

    private record Key(int member, long base) {
    }

    private final String window;
    private final Gas gas;
    private final Group group;
    private final WindowTransport transport;
    private final GlobalMemory table;
    private final Map<Key, Range> known = new HashMap<>();
    private final int[] generations = new int[SLOTS];
    private Range found;
    private long foundOffset;

    /** Collective. */
    DynamicRegions(String window, Gas gas, Group group, WindowTransport transport) {
        this.window = window;
        this.gas = gas;
        this.group = group;
        this.transport = transport;
        this.table = gas.allocate(group, (long) SLOTS * ENTRY_BYTES);
    }

    /** Publishes a range of the own part of some memory; returns the displacement of its first byte. */
    long attach(GlobalMemory memory, long offset, long bytes) {
        long limit = memory.bytes(gas.rank());
        if (offset < 0 || bytes <= 0 || offset > limit - bytes || bytes > OFFSET_MASK) {
            throw new InvalidAddressException(window + ": attach of a range outside the memory", gas.rank(),
                memory.id(), offset, bytes, limit);
        }
        MemorySegment entries = table.local();
        for (int slot = 0; slot < SLOTS; slot++) {
            if (entries.get(LONG, at(slot)) == 0) {
                int generation = generations[slot];
                entries.set(LONG, at(slot) + 8, memory.id());
                entries.set(LONG, at(slot) + 16, offset);
                entries.set(LONG, at(slot) + 24, bytes);
                table.putLong(gas.rank(), at(slot), generation + 1L);
                return (long) generation << GENERATION_SHIFT | (long) slot << SLOT_SHIFT;
            }
        }
        throw new GasException(window + ": " + SLOTS + " ranges are attached already");
    }

    void detach(long base) {
        int slot = slot(base);
        if ((base & OFFSET_MASK) != 0 || base >>> UNUSED_SHIFT != 0
            || table.local().get(LONG, at(slot)) != generation(base) + 1L) {
            throw new InvalidAddressException(window + ": detach of what is not attached", gas.rank(), table.id(),
                base, 0, 0);
        }
        table.putLong(gas.rank(), at(slot), 0);
        generations[slot] = generations[slot] + 1 & MASK;
    }

    private static long at(int slot) {
        return (long) slot * ENTRY_BYTES;
    }

    private static int slot(long displacement) {
        return (int) (displacement >> SLOT_SHIFT) & MASK;
    }

    private static int generation(long displacement) {
        return (int) (displacement >> GENERATION_SHIFT) & MASK;
    }

    @Override
    public void forget() {
        known.clear();
    }

    @Override
    public void resolve(int member, long displacement, long low, long high) {
        Key key = new Key(member, displacement & ~OFFSET_MASK);
        found = known.get(key);
        if (found == null) {
            found = lookUp(member, displacement);
            known.put(key, found);
        }
        long offset = displacement & OFFSET_MASK;
        if (offset + low < 0 || offset > found.bytes - high) {
            throw new InvalidAddressException(window + ": displacement " + displacement + " with " + (high - low)
                + " bytes is outside the attached range", group.worldRank(member), found.memory.id(), offset,
                high - low, found.bytes);
        }
        foundOffset = found.offset + offset;
    }

    private Range lookUp(int member, long displacement) {
        int rank = group.worldRank(member);
        MemorySegment entry = MemorySegment.ofArray(new long[ENTRY_BYTES / Long.BYTES]);
        table.get(rank, at(slot(displacement)), entry);
        long id = entry.get(LONG, 8);
        if (displacement >>> UNUSED_SHIFT != 0 || entry.get(LONG, 0) != generation(displacement) + 1L) {
            throw new InvalidAddressException(window + ": nothing is attached at displacement " + displacement, rank,
                table.id(), displacement, 0, 0);
        }
        SegmentAccess memory = transport.memoryOf(id);
        if (memory == null) {
            throw new InvalidAddressException(window + ": the memory attached at displacement " + displacement
                + " was freed, or this rank has no part in its allocation", rank, id, displacement, 0, 0);
        }
        return new Range(memory, entry.get(LONG, 16), entry.get(LONG, 24));
    }

    @Override
    public SegmentAccess memory() {
        return found.memory;
    }

    @Override
    public long offset() {
        return foundOffset;
    }

    @Override
    public long bytes(int member) {
        return OFFSET_MASK;
    }

    @Override
    public int unit(int member) {
        return 1;
    }

    @Override
    public void close() {
        table.close();
    }
}
