package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.Trace;

/**
 * The inboxes of a group's members, each laid out by {@link org.tributary.wire.shm.CollectiveLayout} and zero at first:
 * all that collectives know of the way between two members.
 *
 * <p>What one member sends to one other takes effect in the order sent; sends of different members, or to different
 * ones, may overtake each other. Called by one thread of a member at a time.
 */
public interface Inboxes {
    /** Own rank in the group. */
    int self();

    /** Members of the group. */
    int size();

    /** Logical node of a member: members of one node share memory. Every member gives the same answers. */
    int nodeOf(int member);

    /** Own inbox: read by its owner, written by {@link #send} of other members only. */
    MemorySegment own();

    /** A collective begins: the inboxes stay until {@link #end}, even if another thread closes. */
    default void begin() {
        // They stay.
    }

    /** The collective is over, which all members have called. */
    default void returned() {
        // Nothing waits for that.
    }

    default void end() {
        // They stay.
    }

    /** Where collectives of this rank are recorded, or null; asked once. */
    default Trace trace() {
        return null;
    }

    /** Since when the collective has waited for more than a few looks, the first time; 0 if it never has. */
    default long waitsSinceNs() {
        return 0;
    }

    /** When its thread looked at the clock last in such a wait; 0 if it never has. */
    default long waitsSeenNs() {
        return 0;
    }

    /** Where this rank notes how long its collectives take; asked once. */
    default Latencies latencies() {
        return Latencies.unshared();
    }

    /** The number among all ranks of the job by which a member is recorded. */
    default int worldRank(int member) {
        return member;
    }

    /** The segment of the inboxes, by which the group is recorded. */
    default long segment() {
        return 0;
    }

    /**
     * Copies bytes into a member's inbox, then sets a flag word there (release: flag seen, data seen) and wakes the
     * member. The source may be changed on return.
     *
     * @param dataOffset where in the member's inbox
     * @param length     in bytes; 0 for the flag alone, {@code dataOffset} and the source then mean nothing
     */
    void send(int member, long dataOffset, MemorySegment source, long sourceOffset, long length, long flagOffset,
        long flagValue);

    /**
     * Waits until the word at an offset of the own inbox has a value (acquire; partner: {@link #send}).
     *
     * @param exactly this value, or at least this one
     * @param from    the member expected to write it; when that one is dead, or the job has failed, this throws
     * @param doubt   asked now and then by a member that has waited long
     */
    void await(long flagOffset, long value, boolean exactly, int from, Doubt doubt);

    /** Whether what a member waits for can come at all. */
    interface Doubt {
        /**
         * Throws when the member that is waited for, or another one, has called something else, unless {@code enough}
         * becomes true before that is known.
         */
        void ask(int from, BooleanSupplier enough);

        /** The number of this member's call in the group. */
        long number();

        /** The call of this member and the last one of member {@code from}, in words. */
        String calls(int from);
    }

    /**
     * Copies bytes of a member's inbox to an aligned segment; false when that member has it no more, or when
     * {@code enough} became true before they were there.
     */
    boolean read(int member, long offset, MemorySegment target, BooleanSupplier enough);

    /** How messages name a member. */
    String nameOf(int member);

    /** Ends the job, which cannot go on; what this member is to throw. */
    RuntimeException fail(String why);
}
