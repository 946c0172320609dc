package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where a rank says what its threads wait for, so that another process can tell why a job stands still. A thread writes
 * when it has polled in vain and is about to block, and again when its wait is over: what ends while it polls writes
 * nothing.
 *
 * <pre>
 *   {@link #SLOTS} slots of one cache line each, one for each thread that is blocked:
 *   0          4        8         16      20      24        32        40      48       56
 *   +----------+--------+---------+-------+-------+---------+---------+-------+--------+--------+
 *   | sequence | kind   | since   | peer  | unused| segment | number  | count | hidden | unused |
 *   | int32    | int32  | int64   | int32 |       | int64   | int64   | int64 | int64  |        |
 *   +----------+--------+---------+-------+-------+---------+---------+-------+--------+--------+
 *
 *   sequence: odd while the slot is written
 *   kind:     a {@link WaitKind}, 0 for a thread that does not wait
 *   since:    nanoseconds of CLOCK_MONOTONIC, which is one for all processes of a machine (System.nanoTime)
 *   count:    waits of this slot so far, without those that begin within another wait of their thread
 *   hidden:   of the first slot alone: such waits that were over before a slot was free
 * </pre>
 *
 * <p>When all slots are in use, further threads that block wait for one, the longest first: whoever gives a slot back
 * writes their wait into it. So a slot is free only when no further thread is blocked.
 *
 * <p>What is in them is for people to read and decides nothing; any process of the node can overwrite it. Readers check
 * each field, and take a slot only as two readings in a row find it ({@code NodeReader}). Thread-safe.
 */
public final class WaitSlots {
    /** So many threads of a rank show at a time. */
    public static final int SLOTS = 4;
    public static final int SLOT_BYTES = 64;
    /** The memory of the slots is gone. */
    public static final int UNSEEN = -1;
    static final int SEQUENCE_OFFSET = 0;
    static final int KIND_OFFSET = 4;
    static final int SINCE_OFFSET = 8;
    static final int PEER_OFFSET = 16;
    static final int SEGMENT_OFFSET = 24;
    static final int NUMBER_OFFSET = 32;
    static final int COUNT_OFFSET = 40;
    static final int HIDDEN_OFFSET = 48;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final MemorySegment memory;
    private final AtomicInteger taken = new AtomicInteger();
    /** Of each slot; those in shared memory may have been overwritten. */
    private final long[] counts = new long[SLOTS];
    /** Null unless the rank records its waits. */
    private volatile Trace trace;
    /** Waits by what {@link #begin} returns: first those that found a slot of that index, then further ones. */
    private volatile Wait[] waits = new Wait[SLOTS];
    /** Threads without a slot; changed with {@link #furtherLock} held. */
    private final AtomicInteger hidden = new AtomicInteger();
    /** Guards what concerns further waits, and the giving of slots to them. */
    private final Object furtherLock = new Object();
    private long hiddenCount;

    /** A thread that is blocked, or none. Its fields belong to that thread, of a further one with the lock held. */
    private static final class Wait {
        /** Who it is; a thread finds itself there, whatever it sees of others. */
        private Thread thread;
        /** Of a further one the slot that it was given, or {@link #UNSEEN}. */
        private int slot = UNSEEN;
        private boolean counts;
        private WaitKind kind;
        private int peer;
        private long segment;
        private long number;
        private long begunNs;
        /** As it is recorded. */
        private long sinceNs;

        void begin(boolean isCounted, WaitKind what, int whose, long where, long which) {
            thread = Thread.currentThread();
            counts = isCounted;
            kind = what;
            peer = whose;
            segment = where;
            number = which;
            begunNs = System.nanoTime();
            sinceNs = begunNs;
        }
    }

    /** The slots of a rank in that memory, which it alone writes. */
    WaitSlots(MemorySegment memory) {
        this.memory = memory;
        Arrays.setAll(waits, slot -> new Wait());
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
        return begin(!isWithinAnother(), kind, peer, segment, number);
    }

    private int begin(boolean counts, WaitKind kind, int peer, long segment, long number) {
        int slot = take();
        if (slot == UNSEEN) {
            return beginWithoutSlot(counts, kind, peer, segment, number);
        }
        Wait wait = waits[slot];
        wait.begin(counts, kind, peer, segment, number);
        if (!show(slot, wait)) {
            wait.thread = null;
            free(slot);
            return UNSEEN;
        }
        return slot;
    }

    /** A thread that asks, while it waits, whether its peer is still there, does not go on. */
    private boolean isWithinAnother() {
        Thread own = Thread.currentThread();
        for (Wait wait : waits) {
            if (wait.thread == own) {
                return true;
            }
        }
        return false;
    }

    private int beginWithoutSlot(boolean counts, WaitKind kind, int peer, long segment, long number) {
        synchronized (furtherLock) {
            int place = SLOTS;
            while (place < waits.length && waits[place].thread != null) {
                place++;
            }
            if (place == waits.length) {
                Wait[] more = Arrays.copyOf(waits, place + 1);
                more[place] = new Wait();
                waits = more;
            }
            waits[place].begin(counts, kind, peer, segment, number);
            hidden.incrementAndGet(); // partner: free(); one of the two sees what the other has done
            giveSlots();
            return place;
        }
    }

    /** Call with the lock held. */
    private void giveSlots() {
        while (hidden.get() > 0) {
            int slot = take();
            if (slot == UNSEEN) {
                return;
            }
            Wait longest = null;
            for (int place = SLOTS; place < waits.length; place++) {
                Wait wait = waits[place];
                if (wait.thread != null && wait.slot == UNSEEN
                    && (longest == null || wait.begunNs - longest.begunNs < 0)) {
                    longest = wait;
                }
            }
            longest.slot = slot;
            hidden.decrementAndGet();
            show(slot, longest);
        }
    }

    /** As {@link #end(int)}, when the thread has polled since then before it blocked, or has only polled. */
    public void end(int place, long sinceNs) {
        if (place != UNSEEN) {
            waits[place].sinceNs = sinceNs;
        }
        end(place);
    }

    /** The wait is over. */
    public void end(int place) {
        if (place == UNSEEN) {
            return;
        }
        Wait wait = waits[place];
        if (trace != null) {
            trace.waited(wait.kind, wait.sinceNs, wait.peer, wait.segment, wait.number);
        }
        int slot = place < SLOTS ? place : endFurther(wait);
        if (slot != UNSEEN) {
            write(slot, WaitKind.NONE, System.nanoTime(), -1, 0, 0);
            if (place < SLOTS) {
                wait.thread = null;
            }
            free(slot);
        }
    }

    /** Returns its slot. */
    private int endFurther(Wait wait) {
        synchronized (furtherLock) {
            int slot = wait.slot;
            wait.slot = UNSEEN;
            wait.thread = null;
            if (slot == UNSEEN) {
                hidden.decrementAndGet();
                hiddenCount += wait.counts ? 1 : 0;
                writeHidden();
            }
            return slot;
        }
    }

    /** The rank has said goodbye to its server, which reads that perhaps only when the process has ended. */
    public void left() {
        begin(false, WaitKind.LEFT, -1, 0, 0);
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
        int now = taken.get();
        while (!taken.compareAndSet(now, now & ~(1 << slot))) {
            now = taken.get();
        }
        if (hidden.get() > 0) { // partner: beginWithoutSlot()
            synchronized (furtherLock) {
                giveSlots();
            }
        }
    }

    private boolean show(int slot, Wait wait) {
        counts[slot] += wait.counts ? 1 : 0;
        return write(slot, wait.kind, wait.begunNs, wait.peer, wait.segment, wait.number);
    }

    /** False when the memory is gone: the rank has left, or the file was truncated, which other accesses tell of. */
    private boolean write(int slot, WaitKind kind, long sinceNs, int peer, long segment, long number) {
        try {
            write((long) slot * SLOT_BYTES, kind.ordinal(), sinceNs, peer, segment, number, counts[slot]);
            MemoryFaults.surface(); // not after this, where the thread may hold a lock
            return true;
        } catch (IllegalStateException | InternalError e) {
            return false;
        }
    }

    private void writeHidden() {
        try {
            memory.set(LONG, HIDDEN_OFFSET, hiddenCount);
            MemoryFaults.surface();
        } catch (IllegalStateException | InternalError e) {
            // The memory is gone, as above.
        }
    }

    private void write(long at, int kind, long sinceNs, int peer, long segment, long number, long count) {
        int sequence = memory.get(INT, at + SEQUENCE_OFFSET) | 1; // odd, whatever a stray store has left
        memory.set(INT, at + SEQUENCE_OFFSET, sequence);
        VarHandle.storeStoreFence(); // a reader of a field of this wait sees an odd or later sequence before
        memory.set(INT, at + KIND_OFFSET, kind);
        memory.set(LONG, at + SINCE_OFFSET, sinceNs);
        memory.set(INT, at + PEER_OFFSET, peer);
        memory.set(LONG, at + SEGMENT_OFFSET, segment);
        memory.set(LONG, at + NUMBER_OFFSET, number);
        memory.set(LONG, at + COUNT_OFFSET, count);
        SharedWord.setRelease(memory, at + SEQUENCE_OFFSET, sequence + 1); // partner: the reading of NodeReader
    }
}
