package org.tributary.client.window;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.tributary.client.Group;
import org.tributary.client.error.AccessConflictException;
import org.tributary.client.window.RmaOperation.Kind;
import org.tributary.config.EnumText;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * One contiguous piece of memory that an operation accesses, as it stands in the journal.
 *
 * <pre>
 *   0          8        16       24              32
 *   +----------+--------+--------+---------------+--------------------------------------+
 *   | memory   | begin  | end    | displacement  | kind, op + 1 or 0, type: a byte each |
 *   +----------+--------+--------+---------------+--------------------------------------+
 * </pre>
 *
 * @param memory       number of the memory
 * @param begin        first byte in the target's part of it
 * @param end          byte after the last
 * @param displacement of the operation, as it was given
 * @param op           how elements are combined, or null
 * @param type         of the elements, or null
 */
record Access(long memory, long begin, long end, long displacement, Kind kind, ReduceOp op, ElementType type) {
    /** Bytes in the journal. */
    static final int BYTES = 40;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int MASK = 0xFF;

    /** Everything that an operation accesses. */
    static List<Access> of(RmaOperation operation, long displacement) {
        List<Access> pieces = new ArrayList<>();
        operation.forEachPiece((begin, bytes) -> pieces.add(new Access(operation.memory().id(), begin, begin + bytes,
            displacement, operation.kind(), operation.op(), operation.type())));
        return pieces;
    }

    static Access read(MemorySegment journal, long at) {
        long codes = journal.get(LONG, at + 32);
        int op = (int) (codes >> 8) & MASK;
        return new Access(journal.get(LONG, at), journal.get(LONG, at + 8), journal.get(LONG, at + 16),
            journal.get(LONG, at + 24), Kind.values()[(int) codes & MASK], op == 0 ? null : ReduceOp.values()[op - 1],
            op == 0 ? null : ElementType.values()[(int) (codes >> 16) & MASK]);
    }

    void write(MemorySegment journal, long at) {
        journal.set(LONG, at, memory);
        journal.set(LONG, at + 8, begin);
        journal.set(LONG, at + 16, end);
        journal.set(LONG, at + 24, displacement);
        journal.set(LONG, at + 32, kind.ordinal() | (op == null ? 0 : op.ordinal() + 1L << 8 | type.ordinal() << 16));
    }

    /** How messages name an epoch. */
    static String kind(Epochs.Access access) {
        return switch (access) {
            case FENCE -> "fence epoch";
            case START -> "epoch of start and complete";
            default -> "epoch of a lock";
        };
    }

    /** An access of this rank and one of a member, itself maybe, to the part of a member may not be in one epoch. */
    static AccessConflictException conflict(String window, Group group, String epoch, int member, Access access,
        int other, Access there) {
        return new AccessConflictException(window + ": " + access + " of rank " + group.worldRank(group.rank())
            + " conflicts with " + there + " of rank " + group.worldRank(other) + ", both on rank "
            + group.worldRank(member) + " in the same " + epoch);
    }

    /** Whether both may not be in one epoch. */
    boolean conflictsWith(Access other) {
        return memory == other.memory && begin < other.end && other.begin < end && !(reads() && other.reads())
            && !(combines() && other.combines() && type == other.type && isCombinable(other));
    }

    private boolean reads() {
        return kind == Kind.GET || op == ReduceOp.NO_OP;
    }

    private boolean combines() {
        return op != null;
    }

    /** As MPI has it by default (same_op_no_op), and compare-and-swap with everything. */
    private boolean isCombinable(Access other) {
        return op == other.op || op == ReduceOp.NO_OP || other.op == ReduceOp.NO_OP
            || kind == Kind.COMPARE_AND_SWAP || other.kind == Kind.COMPARE_AND_SWAP;
    }

    @Override
    public String toString() {
        return EnumText.hyphenated(kind) + (op == null ? "" : " (" + op + " of " + type
            + ")") + " at displacement " + displacement + " (bytes " + begin + " to " + end + ")";
    }
}
