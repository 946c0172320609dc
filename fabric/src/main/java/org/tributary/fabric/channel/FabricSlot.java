package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;
import org.tributary.fabric.Region;

/** Part of a region to write from. A claimed one is free again when it is released and all its writes are complete. */
final class FabricSlot implements RemoteWrite.Source {
    private final Region region;
    private final long begin;
    private final MemorySegment memory;
    private final int context;
    private int channel;
    private int writes;
    private boolean released = true;

    FabricSlot(Region region, long begin, int bytes, int context) {
        this.region = region;
        this.begin = begin;
        this.memory = region.memory().asSlice(begin, bytes);
        this.context = context;
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    Region region() {
        return region;
    }

    long begin() {
        return begin;
    }

    /** Of the operations that write from it. */
    int context() {
        return context;
    }

    /** Whose message is in it. */
    int channel() {
        return channel;
    }

    void claimedBy(int user) {
        channel = user;
        released = false;
    }

    /** Whether a channel has claimed it, and not all of its writes are complete. */
    boolean isBusyOf(int user) {
        return channel == user && (writes > 0 || !released);
    }

    void began() {
        writes++;
    }

    /** A write is complete; true when it was the last that others wait for. */
    boolean finished() {
        return --writes == 0 && released;
    }

    /** No more writes; true when all are complete. */
    boolean release() {
        released = true;
        return writes == 0;
    }
}
