package org.tributary.client.window;

import org.tributary.client.Group;
import org.tributary.client.window.RmaOperation.Kind;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * The check that costs next to nothing: a contiguous operation against this rank's latest contiguous ones on the same
 * part in the same epoch, unless those took effect at once. Two comparisons while accesses do not come near each other,
 * a few more when they do. What it misses, {@link ConflictCheck} finds. Allocates nothing after the first epoch. Owned
 * by one window.
 */
final class RecentAccesses implements AccessCheck {
    private static final int KEPT = 8;

    /** The latest operations on one part, the oldest replaced first, and the range that holds all of the epoch. */
    private static final class Part {
        private final Entry[] entries = new Entry[KEPT];
        private long epoch;
        private int count;
        private long low;
        private long high;

        Part() {
            for (int i = 0; i < KEPT; i++) {
                entries[i] = new Entry();
            }
        }
    }

    /** Fields of an {@link Access}. */
    private static final class Entry {
        private long memory;
        private long begin;
        private long end;
        private long displacement;
        private Kind kind;
        private ReduceOp op;
        private ElementType type;

        void set(RmaOperation operation, long at) {
            memory = operation.memory().id();
            begin = operation.offset();
            end = begin + operation.length();
            displacement = at;
            kind = operation.kind();
            op = operation.op();
            type = operation.type();
        }

        void clear() {
            begin = Long.MAX_VALUE;
            end = Long.MIN_VALUE;
        }

        Access access() {
            return new Access(memory, begin, end, displacement, kind, op, type);
        }
    }

    private final String window;
    private final Group group;
    private final Part[] parts;
    private long epoch;

    RecentAccesses(String window, Group group) {
        this.window = window;
        this.group = group;
        this.parts = new Part[group.size()];
    }

    @Override
    public void operation(RmaOperation operation, int member, long displacement, Epochs.Access access,
        boolean isReady) {
        if (!operation.isContiguous()) {
            return;
        }
        Part part = part(member);
        long begin = operation.offset();
        long end = begin + operation.length();
        if (begin < part.high && part.low < end) {
            compare(operation, member, displacement, access, part);
        }
        part.low = Math.min(part.low, begin);
        part.high = Math.max(part.high, end);
        part.entries[part.count++ % KEPT].set(operation, displacement);
    }

    @Override
    public void withdraw(RmaOperation operation, int member) {
        if (operation.isContiguous()) {
            Part part = parts[member];
            part.entries[(part.count - 1) % KEPT].clear();
        }
    }

    private Part part(int member) {
        if (parts[member] == null) {
            parts[member] = new Part();
        }
        Part part = parts[member];
        if (part.epoch != epoch || part.count == 0) {
            part.epoch = epoch;
            part.count = 0;
            part.low = Long.MAX_VALUE;
            part.high = Long.MIN_VALUE;
        }
        return part;
    }

    private void compare(RmaOperation operation, int member, long displacement, Epochs.Access access, Part part) {
        long begin = operation.offset();
        long end = begin + operation.length();
        for (int i = 0; i < Math.min(part.count, KEPT); i++) {
            Entry entry = part.entries[i];
            if (begin < entry.end && entry.begin < end) {
                Access one = Access.of(operation, displacement).getFirst();
                Access other = entry.access();
                if (one.conflictsWith(other)) {
                    throw Access.conflict(window, group, Access.kind(access), member, one, group.rank(), other);
                }
            }
        }
    }

    @Override
    public void fenced() {
        epoch++;
    }

    @Override
    public void completed() {
        epoch++;
    }

    @Override
    public void flushes(int member) {
        if (member == ALL) {
            epoch++;
        } else if (parts[member] != null) {
            parts[member].count = 0;
        }
    }

    @Override
    public void getsDone(int member) {
        flushes(member); // of the puts among them it may miss a conflict
    }
}
