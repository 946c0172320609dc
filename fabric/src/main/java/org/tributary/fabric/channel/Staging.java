package org.tributary.fabric.channel;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.Region;

/** Registered memory that the channels of an endpoint compose messages in. */
final class Staging {
    private final Endpoint endpoint;
    private final Arena arena;
    private final FabricSlot[] slots;
    private final Deque<FabricSlot> unused = new ArrayDeque<>();

    Staging(Endpoint endpoint, Arena arena, int slotBytes, int count) {
        this.endpoint = endpoint;
        this.arena = arena;
        this.slots = new FabricSlot[count];
        Region region = register((long) slotBytes * count);
        for (int i = 0; i < count; i++) {
            slots[i] = new FabricSlot(region, (long) i * slotBytes, slotBytes, i);
            unused.add(slots[i]);
        }
    }

    /** Zeros, as long as the arena. */
    Region register(long bytes) {
        return endpoint.register(arena.allocate(bytes, ChannelShape.HEAD_BYTES));
    }

    /** Memory that a channel keeps; operations on it have a context of the channel. */
    FabricSlot keep(int bytes, int channel) {
        return new FabricSlot(register(bytes), 0, bytes, slots.length + channel);
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
        if (context < slots.length) {
            finish(slots[context]);
        }
    }

    /** Whose operation has that context. */
    int channelOf(int context) {
        return context < slots.length ? slots[context].channel() : context - slots.length;
    }
}
