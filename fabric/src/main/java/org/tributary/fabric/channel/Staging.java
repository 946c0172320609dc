package org.tributary.fabric.channel;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.Region;

/** Registered memory that channels of an endpoint compose messages in. Its operations have contexts from one on. */
final class Staging {
    private final Endpoint endpoint;
    private final Arena arena;
    private final FabricSlot[] slots;
    private final Deque<FabricSlot> unused = new ArrayDeque<>();
    private final int firstContext;

    Staging(Endpoint endpoint, Arena arena, int slotBytes, int count, int firstContext) {
        this.endpoint = endpoint;
        this.arena = arena;
        this.firstContext = firstContext;
        this.slots = new FabricSlot[count];
        Region region = register((long) slotBytes * count);
        for (int i = 0; i < count; i++) {
            slots[i] = new FabricSlot(region, (long) i * slotBytes, slotBytes, firstContext + i);
            unused.add(slots[i]);
        }
    }

    /** Zeros, as long as the arena. */
    Region register(long bytes) {
        return endpoint.register(arena.allocate(bytes, ChannelShape.HEAD_BYTES));
    }

    FabricSlot claim(int channel) {
        FabricSlot slot = unused.poll();
        if (slot != null) {
            slot.claimedBy(channel);
        }
        return slot;
    }

    /** No more writes from it will begin. */
    void release(FabricSlot slot) {
        if (slot.release()) {
            unused.add(slot);
        }
    }

    /** A write from it is complete, or a wait for one is over. */
    void finish(FabricSlot slot) {
        if (slot.finished()) {
            unused.add(slot);
        }
    }

    /** An operation of that context is over. */
    void finish(int context) {
        finish(slots[context - firstContext]);
    }

    /** Whose operation has that context. */
    int channelOf(int context) {
        return slots[context - firstContext].channel();
    }

    /** Whether the adapter may still read what was written from. */
    boolean isBusy() {
        return unused.size() < slots.length;
    }

    /** Whether it may still read what a channel has written from. */
    boolean isBusyOf(int channel) {
        if (isBusy()) {
            for (FabricSlot slot : slots) {
                if (slot.isBusyOf(channel)) {
                    return true;
                }
            }
        }
        return false;
    }
}
