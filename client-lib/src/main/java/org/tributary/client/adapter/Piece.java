package org.tributary.client.adapter;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.tributary.client.connection.OwnersMemory;
import org.tributary.client.error.GasException;
import org.tributary.fabric.LocalMemory;

/**
 * Blocks of a transfer that fit one slot, each of which is an operation of the adapter. A slot has one, which it uses
 * for one transfer after the other. Where the adapter uses the memory of the caller itself, the slot is only the number
 * of the operations. Guarded by the lock of the links.
 */
final class Piece {
    private static final int MOST_BLOCKS = 32;
    /** Of a piece that is not copied. While it begins, other threads wait. */
    static final int DIRECT_BYTES = 1 << 20;

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
        long most = transfer.direct() == null ? Bounce.SLOT_BYTES : DIRECT_BYTES;
        while (blocks < MOST_BLOCKS && from.hasMore() && places[blocks] < most) {
            remote[blocks] = from.remote();
            local[blocks] = from.local();
            places[blocks + 1] = places[blocks] + from.take(most - places[blocks]);
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

    /** Copies the blocks of a put into the slot; of what is not copied, it checks that the caller has it. */
    void prepare(Bounce bounce) {
        for (int block = 0; block < blocks; block++) {
            if (transfer.direct() != null) {
                Objects.checkFromIndexSize(local[block], length(block), memory.byteSize());
            } else if (!transfer.reads()) {
                bounce.fill(bounce.at(slot) + places[block], memory, local[block], length(block));
            }
        }
    }

    /** Copies the blocks of a get from the slot, unless the adapter has put them in their place. */
    void drain(Bounce bounce) {
        if (transfer.direct() != null) {
            return;
        }
        MemorySegment target = OwnersMemory.reachable(memory);
        for (int block = 0; block < blocks; block++) {
            bounce.drain(bounce.at(slot) + places[block], target, local[block], length(block));
        }
    }

    private long length(int block) {
        return places[block + 1] - places[block];
    }

    /** Begins what has not begun; false when the adapter has no room. Throws what the adapter refuses. */
    boolean begin(Bounce bounce) {
        while (begun < blocks) {
            long place = part.offset() + remote[begun];
            LocalMemory direct = transfer.direct();
            boolean hasRoom = direct == null
                ? begin(bounce.region(), place, bounce.at(slot) + places[begun], length(begun))
                : begin(direct, place, direct.offsetOf(memory.address() + local[begun]), length(begun));
            if (!hasRoom) {
                return false;
            }
            begun++;
        }
        return true;
    }

    private boolean begin(LocalMemory region, long place, long here, long length) {
        if (transfer.reads()) {
            return part.region().read(place, region, here, length, slot);
        }
        if (transfer.number() != 0) {
            return part.region().writeDeliveredWithData(place, region, here, length, transfer.number(), slot);
        }
        return begun < blocks - 1 ? part.region().writeAhead(place, region, here, length, slot)
            : part.region().writeDelivered(place, region, here, length, slot);
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
