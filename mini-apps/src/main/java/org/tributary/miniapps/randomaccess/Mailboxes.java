package org.tributary.miniapps.randomaccess;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;

/**
 * Updates on their way to their owners: at every rank a mailbox for each other rank, of two slots used in turn, and a
 * flag.
 * <pre>
 *   source 0, slot 0 | source 0, slot 1 | source 1, slot 0 | ... | flag of source 0 | flag of source 1 | ...
 *   slot: number of updates (8 bytes), LOOK_AHEAD updates (8 bytes each)
 *   flag: rounds that the source has delivered
 * </pre>
 * In every round each rank delivers one message to each other rank, by one put with its flag, and then reads one of
 * each. Two slots suffice without any credit: a rank delivers round r + 2 only after it has read every round r + 1,
 * so the reader has sent its own r + 1, so it has read all of round r. One thread a rank.
 */
final class Mailboxes implements AutoCloseable {
    /** Updates that a rank may generate before it delivers them, by the rules of the benchmark. */
    static final int LOOK_AHEAD = 1024;
    private static final int WORDS_PER_SLOT = LOOK_AHEAD + 1;
    private static final int SLOTS = 2;

    private final int self;
    private final int ranks;
    private final GlobalMemory memory;
    private final MemorySegment inbox;
    private final long[][] outgoing;
    private final MemorySegment[] outgoingMemory;
    private long round;

    /** Empty mailboxes at every rank. Collective. */
    Mailboxes(Gas gas) {
        self = gas.rank();
        ranks = gas.rankCount();
        memory = gas.allocate(flagOffset(ranks));
        inbox = memory.local();
        for (int source = 0; source < ranks; source++) {
            inbox.set(ValueLayout.JAVA_LONG, flagOffset(source), 0);
        }
        outgoing = new long[ranks][];
        outgoingMemory = new MemorySegment[ranks];
        for (int target = 0; target < ranks; target++) {
            outgoing[target] = new long[WORDS_PER_SLOT];
            outgoingMemory[target] = MemorySegment.ofArray(outgoing[target]);
        }
        gas.barrier();
    }

    private static long slotOffset(int source, long ofRound) {
        return (source * SLOTS + ofRound % SLOTS) * WORDS_PER_SLOT * Long.BYTES;
    }

    private long flagOffset(int source) {
        return slotOffset(ranks, 0) + (long) source * Long.BYTES;
    }

    /** Keeps an update for the next delivery; at most {@link #LOOK_AHEAD} in all. */
    void add(int target, long update) {
        long[] message = outgoing[target];
        message[(int) ++message[0]] = update;
    }

    /** Delivers what was kept to every other rank, and empties it. */
    void deliver() {
        for (int step = 1; step < ranks; step++) {
            int target = (self + step) % ranks;
            long[] message = outgoing[target];
            memory.putWithFlag(target, slotOffset(self, round), outgoingMemory[target], 0,
                (message[0] + 1) * Long.BYTES, flagOffset(self), round + 1);
            message[0] = 0;
        }
    }

    /** Waits for the messages of all other ranks and applies them. */
    void receive(Table table) {
        for (int step = 1; step < ranks; step++) {
            int source = (self + ranks - step) % ranks;
            memory.awaitFlagAtLeast(flagOffset(source), round + 1, source);
            long at = slotOffset(source, round);
            long count = inbox.get(ValueLayout.JAVA_LONG, at);
            for (long i = 1; i <= count; i++) {
                table.apply(inbox.get(ValueLayout.JAVA_LONG, at + i * Long.BYTES));
            }
        }
        round++;
    }

    /** Closes the mailboxes. Collective. */
    @Override
    public void close() {
        memory.close();
    }
}
