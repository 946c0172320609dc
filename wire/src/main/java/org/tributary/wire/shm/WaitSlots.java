package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where a rank says what its threads wait for, so that another process can tell why a job stands still. A thread writes
 * when it has polled in vain and is about to block, and again when its wait is over: what ends while it polls writes
 * nothing.
 *
 * <pre>
 *   {@link #SLOTS} slots of one cache line each, one for each thread that is blocked:
 *   0          4        8         16      20      24        32        40
 *   +----------+--------+---------+-------+-------+---------+---------+---------+----
 *   | sequence | kind   | since   | peer  | unused| segment | number  | count   | unused
 *   | int32    | int32  | int64   | int32 |       | int64   | int64   | int64   |
 *   +----------+--------+---------+-------+-------+---------+---------+---------+----
 *
 *   sequence: odd while the slot is written
 *   kind:     a {@link WaitKind}, 0 for a thread that does not wait
 *   since:    nanoseconds of CLOCK_MONOTONIC, which is one for all processes of a machine (System.nanoTime)
 *   count:    waits of this slot so far, without those that begin within another wait of their thread
 * </pre>
 *
 * <p>What is in them is for people to read and decides nothing; any process of the node can overwrite it. Readers check
 * each field, and take a slot only as two readings in a row find it ({@code NodeReader}). Thread-safe.
 */
public final class WaitSlots {
    /** So many threads of a rank show; further ones wait unseen. */
    public static final int SLOTS = 4;
    public static final int SLOT_BYTES = 64;
    /** No slot was free, or its memory is gone. */
    public static final int UNSEEN = -1;
    static final int SEQUENCE_OFFSET = 0;
    static final int KIND_OFFSET = 4;
    static final int SINCE_OFFSET = 8;
    static final int PEER_OFFSET = 16;
    static final int SEGMENT_OFFSET = 24;
    static final int NUMBER_OFFSET = 32;
    static final int COUNT_OFFSET = 40;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final MemorySegment memory;
    private final AtomicInteger taken = new AtomicInteger();
    /** Of each slot; those in shared memory may have been overwritten. */
    private final long[] counts = new long[SLOTS];
    /** Who has each slot; a thread finds itself there, whatever it sees of others. */
    private final Thread[] threads = new Thread[SLOTS];
    /** Null unless the rank records its waits; what follows is kept for it, by the thread that has the slot. */
    private volatile Trace trace;
    private final WaitKind[] kinds = new WaitKind[SLOTS];
    private final int[] peers = new int[SLOTS];
    private final long[] segments = new long[SLOTS];
    private final long[] numbers = new long[SLOTS];
    private final long[] begins = new long[SLOTS];

    /** The slots of a rank in that memory, which it alone writes. */
    WaitSlots(MemorySegment memory) {
        this.memory = memory;
    }

    /** Slots that no other process sees. */
    public static WaitSlots unshared() {
        return new WaitSlots(MemorySegment.ofArray(new long[SLOTS * SLOT_BYTES / Long.BYTES]));
    }

    /** Waits are recorded there from now on. */
    public void record(Trace recording) {
        trace = recording;
    }

    /** Where waits are recorded, or null. */
    public Trace trace() {
        return trace;
    }

    /** The calling thread is about to block for that; {@link #end} follows with what this returns. */
    public int begin(WaitKind kind, int peer, long segment, long number) {
        int slot = take();
        if (slot == UNSEEN) {
            return UNSEEN;
        }
        count(slot);
        if (!write(slot, kind, peer, segment, number)) {
            free(slot);
            return UNSEEN;
        }
        if (trace != null) {
            keep(slot, kind, peer, segment, number);
        }
        return slot;
    }

    /** A thread that asks, while it waits, whether its peer is still there, does not go on. */
    private void count(int slot) {
        Thread own = Thread.currentThread();
        boolean waits = false;
        for (Thread thread : threads) {
            waits |= thread == own;
        }
        counts[slot] += waits ? 0 : 1;
        threads[slot] = own;
    }

    private void keep(int slot, WaitKind kind, int peer, long segment, long number) {
        kinds[slot] = kind;
        peers[slot] = peer;
        segments[slot] = segment;
        numbers[slot] = number;
        begins[slot] = System.nanoTime();
    }

    /** As {@link #end(int)}, when the thread has polled since then before it blocked, or has only polled. */
    public void end(int slot, long sinceNs) {
        if (slot != UNSEEN) {
            begins[slot] = sinceNs;
        }
        end(slot);
    }

    /** The wait is over. */
    public void end(int slot) {
        if (slot != UNSEEN) {
            if (trace != null && kinds[slot] != null) {
                trace.waited(kinds[slot], begins[slot], peers[slot], segments[slot], numbers[slot]);
            }
            write(slot, WaitKind.NONE, -1, 0, 0);
            free(slot);
        }
    }

    /** The rank has said goodbye to its server, which reads that perhaps only when the process has ended. */
    public void left() {
        int slot = take();
        if (slot != UNSEEN) {
            write(slot, WaitKind.LEFT, -1, 0, 0);
        }
    }

    private int take() {
        while (true) {
            int now = taken.get();
            int slot = Integer.numberOfTrailingZeros(~now);
            if (slot >= SLOTS) {
                return UNSEEN;
            }
            if (taken.compareAndSet(now, now | 1 << slot)) {
                return slot;
            }
        }
    }

    private void free(int slot) {
        threads[slot] = null;
        int now = taken.get();
        while (!taken.compareAndSet(now, now & ~(1 << slot))) {
            now = taken.get();
        }
    }

    /** False when the memory is gone: the rank has left, or the file was truncated, which other accesses tell of. */
    private boolean write(int slot, WaitKind kind, int peer, long segment, long number) {
        try {
            write((long) slot * SLOT_BYTES, kind.ordinal(), peer, segment, number, counts[slot]);
            MemoryFaults.surface(); // not after this, where the thread may hold a lock
            return true;
        } catch (IllegalStateException | InternalError e) {
            return false;
        }
    }

    private void write(long at, int kind, int peer, long segment, long number, long count) {
        int sequence = memory.get(INT, at + SEQUENCE_OFFSET) | 1; // odd, whatever a stray store has left
        memory.set(INT, at + SEQUENCE_OFFSET, sequence);
        VarHandle.storeStoreFence(); // a reader of a field of this wait sees an odd or later sequence before
        memory.set(INT, at + KIND_OFFSET, kind);
        memory.set(LONG, at + SINCE_OFFSET, System.nanoTime());
        memory.set(INT, at + PEER_OFFSET, peer);
        memory.set(LONG, at + SEGMENT_OFFSET, segment);
        memory.set(LONG, at + NUMBER_OFFSET, number);
        memory.set(LONG, at + COUNT_OFFSET, count);
        SharedWord.setRelease(memory, at + SEQUENCE_OFFSET, sequence + 1); // partner: the reading of NodeReader
    }
}
