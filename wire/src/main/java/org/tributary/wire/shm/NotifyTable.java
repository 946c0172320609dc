package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * How many notifications one rank has received from each other rank, as an open-addressed hash table, so that its size
 * follows the number of ranks that really notify, not that of the job.
 *
 * <pre>
 *   entry:  0             4        8
 *           +-------------+--------+---------+
 *           | source + 1  | unused | count   |
 *           | int32       |        | int64   |
 *           +-------------+--------+---------+
 * </pre>
 *
 * <p>Entries are claimed by compare-and-swap and never given back. Thread-safe between processes; the full fence of
 * {@link #add} is the release partner of the acquire in {@link #count}.
 */
public final class NotifyTable {
    public static final long ENTRY_BYTES = 16;
    private static final long SOURCE = 0;
    static final long COUNT = 8;
    /** How a source becomes its first slot. */
    static final int HASH_FACTOR = 0x9E3779B9;
    static final int HASH_SHIFT = 16;

    private final MemorySegment memory;
    private final int mask;

    /** A table in zeroed memory of {@link #bytes} for {@code capacity}. */
    public NotifyTable(MemorySegment memory, int capacity) {
        this.memory = memory;
        this.mask = slots(capacity) - 1;
    }

    /** Bytes that a table for so many sources takes: half of its slots stay free, so that look-ups stay short. */
    public static long bytes(int capacity) {
        return slots(capacity) * ENTRY_BYTES;
    }

    private static int slots(int capacity) {
        return Integer.highestOneBit(Math.max(2, 2 * capacity - 1)) << 1;
    }

    /** Counts one notification; false when the table has no place for another source. */
    public boolean add(int source) {
        for (int probe = 0, slot = hash(source); probe <= mask; probe++, slot = (slot + 1) & mask) {
            long at = slot * ENTRY_BYTES;
            int found = SharedWord.getAcquire(memory, at + SOURCE);
            if (found == 0) {
                found = SharedWord.compareAndExchange(memory, at + SOURCE, 0, source + 1);
                found = found == 0 ? source + 1 : found;
            }
            if (found == source + 1) {
                SharedWord.getAndAddLong(memory, at + COUNT, 1);
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a table that has no place is really full.
     *
     * @param ranks of the job
     * @param where the table and its file
     * @throws DamagedMemoryException when an entry is of none of them
     */
    public void check(int ranks, Supplier<String> where) {
        for (int slot = 0; slot <= mask; slot++) {
            int found = SharedWord.getAcquire(memory, slot * ENTRY_BYTES + SOURCE);
            if (found < 0 || found > ranks) {
                throw new DamagedMemoryException(where.get(), "entry " + slot + " is of rank " + (found - 1L)
                    + ", and there are " + ranks);
            }
        }
    }

    /** Notifications from a rank so far. */
    public long count(int source) {
        for (int probe = 0, slot = hash(source); probe <= mask; probe++, slot = (slot + 1) & mask) {
            long at = slot * ENTRY_BYTES;
            int found = SharedWord.getAcquire(memory, at + SOURCE);
            if (found == source + 1) {
                return SharedWord.getLongAcquire(memory, at + COUNT);
            }
            if (found == 0) {
                return 0;
            }
        }
        return 0;
    }

    private int hash(int source) {
        int mixed = source * HASH_FACTOR;
        return (mixed ^ mixed >>> HASH_SHIFT) & mask;
    }
}
