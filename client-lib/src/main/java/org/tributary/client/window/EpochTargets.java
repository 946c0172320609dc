package org.tributary.client.window;

import java.util.function.IntConsumer;

/** Queues and counts of one epoch, by target, so that only those that are used cost anything. Owned by one window. */
final class EpochTargets {
    private final OperationQueue[] queues;
    private final long[] completions;
    private final boolean[] touched;
    private final boolean[] written;
    private final int[] order;
    private int count;
    private long bytes;
    private long operations;

    EpochTargets(int members) {
        queues = new OperationQueue[members];
        completions = new long[members];
        touched = new boolean[members];
        written = new boolean[members];
        order = new int[members];
    }

    /** An operation on a member's part has been issued or queued. */
    void touch(int member, long length, boolean writes) {
        if (!touched[member]) {
            touched[member] = true;
            order[count++] = member;
        }
        written[member] |= writes;
        bytes += length;
        operations++;
    }

    OperationQueue queue(int member) {
        if (queues[member] == null) {
            queues[member] = new OperationQueue();
        }
        return queues[member];
    }

    /** The target will count so many more completions. */
    void count(int member, int more) {
        completions[member] += more;
    }

    /** The target will count one more completion. */
    void countOne(int member) {
        count(member, 1);
    }

    long completions(int member) {
        return completions[member];
    }

    boolean isWritten(int member) {
        return written[member];
    }

    /** EpochTargets with operations. */
    int count() {
        return count;
    }

    long bytes() {
        return bytes;
    }

    long operations() {
        return operations;
    }

    /** Every target with operations, in the order of their first use. */
    void forEach(IntConsumer action) {
        for (int i = 0; i < count; i++) {
            action.accept(order[i]);
        }
    }

    /** Begins a new epoch. */
    void clear() {
        for (int i = 0; i < count; i++) {
            int member = order[i];
            touched[member] = false;
            written[member] = false;
            completions[member] = 0;
            if (queues[member] != null) {
                queues[member].clear();
            }
        }
        count = 0;
        bytes = 0;
        operations = 0;
    }
}
