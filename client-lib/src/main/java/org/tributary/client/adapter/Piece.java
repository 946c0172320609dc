package org.tributary.client.adapter;

import java.lang.foreign.MemorySegment;
import org.tributary.client.error.GasException;
import org.tributary.fabric.Region;

/**
 * Blocks of a transfer that fit one slot, each of which is an operation of the adapter. A slot has one, which it uses
 * for one transfer after the other. Guarded by the lock of the links.
 */
final class Piece {
    private static final int MOST_BLOCKS = 32;

    private final int slot;
    private final long[] remote = new long[MOST_BLOCKS];
    private final long[] local = new long[MOST_BLOCKS];
    /** Where each block begins in the slot; one more says where the last ends. */
    private final long[] places = new long[MOST_BLOCKS + 1];
    private TargetNode target;
    private Transfer transfer;
    private TargetNode.Part part;
    private MemorySegment memory;
    private long number;
    private int blocks;
    private int begun;
    private int ended;
    private boolean isWaiting;
    private GasException failure;

    /** {@code slot} is its number in {@link Bounce}. */
    Piece(int slot) {
        this.slot = slot;
    }

    /** Takes as much of the blocks as the slot holds. */
    Piece begin(TargetNode target, Transfer transfer, TargetNode.Part part, MemorySegment memory, long number,
        Blocks from) {
        this.target = target;
        this.transfer = transfer;
        this.part = part;
        this.memory = memory;
        this.number = number;
        this.begun = 0;
        this.ended = 0;
        this.isWaiting = false;
        this.failure = null;
        this.blocks = 0;
        while (blocks < MOST_BLOCKS && from.hasMore() && places[blocks] < Bounce.SLOT_BYTES) {
            remote[blocks] = from.remote();
            local[blocks] = from.local();
            places[blocks + 1] = places[blocks] + from.take(Bounce.SLOT_BYTES - places[blocks]);
            blocks++;
        }
        return this;
    }

    /** Nothing of it is under way: lets go of the memory. */
    void release() {
        target = null;
        transfer = null;
        part = null;
        memory = null;
    }

    int slot() {
        return slot;
    }

    TargetNode target() {
        return target;
    }

    Transfer transfer() {
        return transfer;
    }

    /** Pieces have ascending numbers in the order in which they begin. */
    long number() {
        return number;
    }

    /** Copies the blocks of a put into the slot. */
    void fill(Bounce bounce) {
        for (int block = 0; block < blocks; block++) {
            bounce.fill(bounce.at(slot) + places[block], memory, local[block], places[block + 1] - places[block]);
        }
    }

    /** Copies the blocks of a get from the slot. */
    void drain(Bounce bounce) {
        for (int block = 0; block < blocks; block++) {
            bounce.drain(bounce.at(slot) + places[block], memory, local[block], places[block + 1] - places[block]);
        }
    }

    /** Begins what has not begun; false when the adapter has no room. Throws what the adapter refuses. */
    boolean begin(Bounce bounce) {
        while (begun < blocks) {
            long place = part.offset() + remote[begun];
            long here = bounce.at(slot) + places[begun];
            long length = places[begun + 1] - places[begun];
            if (!begin(bounce.region(), place, here, length)) {
                return false;
            }
            begun++;
        }
        return true;
    }

    private boolean begin(Region region, long place, long here, long length) {
        if (transfer.reads()) {
            return part.region().read(place, region, here, length, slot);
        }
        return transfer.number() == 0
            ? part.region().writeDelivered(place, region, here, length, slot)
            : part.region().writeDeliveredWithData(place, region, here, length, transfer.number(), slot);
    }

    /** Of how many operations it is. */
    int blocks() {
        return blocks;
    }

    /** An operation has ended; {@code why} is null when it succeeded. Otherwise what has not begun is given up. */
    void ended(GasException why) {
        ended++;
        if (why != null) {
            stop(why);
        }
    }

    /** Whether it is in the queue of those for which the adapter had no room; some of it may have begun. */
    void setWaiting(boolean waits) {
        isWaiting = waits;
    }

    /** What has not begun is given up. */
    void stop(GasException why) {
        failure = failure == null ? why : failure;
        blocks = begun;
    }

    /** Whether nothing of it is under way or waits. */
    boolean hasEnded() {
        return ended == blocks && !isWaiting;
    }

    /** The first failure, or null. */
    GasException failure() {
        return failure;
    }
}
