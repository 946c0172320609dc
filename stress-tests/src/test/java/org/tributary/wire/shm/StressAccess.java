package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;

/** What stress tests need of structures that only a control file makes otherwise. */
public final class StressAccess {
    /** Bytes of the slots of a rank. */
    public static final int SLOTS_BYTES = WaitSlots.SLOTS * WaitSlots.SLOT_BYTES;

    private StressAccess() {
    }

    /** The slots of a rank in that memory. */
    public static WaitSlots waitSlots(MemorySegment memory) {
        return new WaitSlots(memory);
    }

    /** How many calls have been counted. */
    public static int count(Latencies latencies, LatencyKind kind, int bucket) {
        return latencies.count(kind, bucket);
    }

    /**
     * Reads the first slot as another process does: 0 when it was being written, otherwise its kind when its other
     * fields are of the same wait, and -1 when they are not.
     */
    public static int kindOfFirst(MemorySegment memory) {
        int before = SharedWord.getAcquire(memory, WaitSlots.SEQUENCE_OFFSET);
        int kind = SharedWord.getAcquire(memory, WaitSlots.KIND_OFFSET);
        int peer = SharedWord.getAcquire(memory, WaitSlots.PEER_OFFSET);
        long segment = SharedWord.getLongAcquire(memory, WaitSlots.SEGMENT_OFFSET);
        long number = SharedWord.getLongAcquire(memory, WaitSlots.NUMBER_OFFSET);
        if ((before & 1) != 0 || SharedWord.getAcquire(memory, WaitSlots.SEQUENCE_OFFSET) != before) {
            return 0;
        }
        boolean isOne = kind == WaitKind.NONE.ordinal() ? segment == 0 && number == 0 && peer <= 0
            : segment == peer && number == peer && kind == peer;
        return isOne ? kind : -1;
    }
}
