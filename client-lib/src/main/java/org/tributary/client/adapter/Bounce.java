package org.tributary.client.adapter;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tributary.client.connection.Awaited;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.Region;

/**
 * Registered memory through which data passes, in slots of one size. Guarded by the lock of the links; done, for who
 * waits for it, when a slot is free.
 */
final class Bounce implements Awaited, AutoCloseable {
    static final int SLOTS = 32;
    static final int SLOT_BYTES = 128 << 10;
    private static final long PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final Region region;
    private final int[] free = new int[SLOTS];
    private int freeCount;

    /** Throws what the registration throws; nothing is left then. */
    Bounce(Endpoint endpoint) {
        try {
            region = endpoint.register(arena.allocate((long) SLOTS * SLOT_BYTES, PAGE_BYTES));
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
        for (int slot = SLOTS; slot > 0; slot--) {
            free[freeCount++] = slot - 1;
        }
    }

    Region region() {
        return region;
    }

    /** Where a slot begins in the region. */
    long at(int slot) {
        return (long) slot * SLOT_BYTES;
    }

    /** Copies to the region, from {@code place} on: not beyond the end of a slot. */
    void fill(long place, MemorySegment source, long from, long length) {
        MemorySegment.copy(source, from, region.memory(), place, length);
    }

    /** Copies from the region. */
    void drain(long place, MemorySegment target, long to, long length) {
        MemorySegment.copy(region.memory(), place, target, to, length);
    }

    /** A free slot, or -1. */
    int take() {
        return freeCount == 0 ? -1 : free[--freeCount];
    }

    /** Nothing reads or writes the slot any more. */
    void give(int slot) {
        free[freeCount++] = slot;
    }

    /** A slot for a transfer of which some may be under way. */
    Awaited slotFor(Transfer transfer) {
        return transfer.holdsCaller() ? new Awaited() {
            @Override
            public boolean isDone() {
                return freeCount > 0;
            }

            @Override
            public boolean holdsCaller() {
                return true;
            }
        } : this;
    }

    @Override
    public boolean isDone() {
        return freeCount > 0;
    }

    /** After the endpoint: nothing may use the memory any more. */
    @Override
    public void close() {
        arena.close();
    }
}
