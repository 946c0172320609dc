package org.tributary.wire.status;

import java.util.List;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.Purpose;

/**
 * A member's call of a collective, as it describes it to others ({@link CallLayout}).
 *
 * @param number  of the call in its group, 0 before the first
 * @param key     of the call
 * @param what    kind, purpose, operation, type and root
 * @param bytes   of the vector, or of one block
 * @param subject of the purpose, and what has been closed before the call
 * @param text    more of the purpose, or empty
 */
public record CallDescription(long number, long key, long what, long bytes, long subject, String text) {
    /** Words of element types and of operations, by their numbers. */
    private static final List<String> TYPES = List.of("int", "long", "float", "double", "complex float",
        "complex double");
    private static final List<String> OPERATIONS = List.of("sum", "product", "minimum", "maximum", "logical and",
        "logical or", "logical xor", "bitwise and", "bitwise or", "bitwise xor");
    /** Odd numbers by which fields are multiplied. */
    private static final long WHAT_FACTOR = 0x9E3779B97F4A7C15L;
    private static final long BYTES_FACTOR = 0xD1B54A32D192ED03L;
    private static final long SUBJECT_FACTOR = 0xABC98388FB8FAC03L;
    private static final long NUMBER_FACTOR = 0x8CB92BA72F3D8DD7L;
    private static final long FIRST_MIX_FACTOR = 0xBF58476D1CE4E5B9L;
    private static final long SECOND_MIX_FACTOR = 0x94D049BB133111EBL;
    private static final int FIRST_MIX_SHIFT = 30;
    private static final int SECOND_MIX_SHIFT = 27;
    private static final int LAST_MIX_SHIFT = 31;

    /**
     * Differs from that of any other call, but for chance: 64 bits, each field multiplied by an odd number of its own,
     * so that calls that differ in one field never share it, and then mixed, so that neighbours are far apart.
     */
    public static long keyOf(long what, long bytes, long subject, long number) {
        return mix(what * WHAT_FACTOR + bytes * BYTES_FACTOR + subject * SUBJECT_FACTOR + number * NUMBER_FACTOR);
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood 2014, with Stafford's thirteenth set of numbers). */
    public static long mix(long value) {
        long mixed = (value ^ value >>> FIRST_MIX_SHIFT) * FIRST_MIX_FACTOR;
        mixed = (mixed ^ mixed >>> SECOND_MIX_SHIFT) * SECOND_MIX_FACTOR;
        return mixed ^ mixed >>> LAST_MIX_SHIFT;
    }

    /** How far a member of a window is in its fences; it describes no more. */
    static CallDescription fenceStep(long step) {
        return new CallDescription(step, keyOf(0, 0, 0, step), 0, 0, 0, "");
    }

    /** Whether it was read as it was written: not while it changed, nor after a stray store. */
    public boolean isWhole() {
        return key == keyOf(what, bytes, subject, number);
    }

    /** Whether its member will not complete it. */
    public boolean isGivenUp() {
        return (what & CallLayout.GAVE_UP) != 0;
    }

    /** The call with its arguments and its number. */
    public String describe() {
        return words() + ", call " + number;
    }

    /** The call with its arguments. */
    public String words() {
        int step = CallLayout.purpose(what);
        boolean failed = isGivenUp() && step != Purpose.CLOSE_GROUP.ordinal();
        StringBuilder words = new StringBuilder(failed ? "a failed " : "");
        if (step != 0) {
            words.append(Purpose.words(step));
            if (Purpose.hasSegment(step)) {
                words.append(" segment ").append(Long.toHexString(subject));
            }
            if (!text.isEmpty()) {
                words.append(' ').append(text);
            }
            words.append(" (");
        }
        appendItself(words);
        if (step == 0) {
            appendClosings(words);
            return words.toString();
        }
        return words.append(')').toString();
    }

    private void appendClosings(StringBuilder words) {
        int count = CallLayout.closingCount(subject);
        if (count == 1) {
            words.append(" after close of segment ").append(Long.toHexString(CallLayout.closedSegment(subject)));
        } else if (count > 1) {
            words.append(" after close of ").append(count).append(" segments");
        }
    }

    private void appendItself(StringBuilder words) {
        int root = CallLayout.root(what);
        switch (CallLayout.kind(what)) {
            case CallLayout.BARRIER -> words.append("barrier");
            case CallLayout.BROADCAST -> words.append("broadcast of ").append(bytes).append(" bytes from member ")
                .append(root);
            case CallLayout.REDUCE -> appendReduction(words.append("reduce")).append(" to member ").append(root);
            case CallLayout.ALLREDUCE -> appendReduction(words.append("allreduce"));
            case CallLayout.REDUCE_SCATTER -> appendReduction(words.append("reduce-scatter")).append(" each");
            case CallLayout.ALLGATHER -> words.append("allgather of ").append(bytes).append(" bytes each");
            case CallLayout.ALL_TO_ALL -> words.append("all-to-all of ").append(bytes).append(" bytes each");
            default -> words.append("nothing yet");
        }
    }

    private StringBuilder appendReduction(StringBuilder words) {
        int op = CallLayout.operation(what);
        int type = CallLayout.type(what);
        if (op >= OPERATIONS.size() || type >= TYPES.size()) {
            return words.append(" of ").append(bytes).append(" bytes");
        }
        return words.append(' ').append(OPERATIONS.get(op)).append(" of ")
            .append(bytes / ElementType.values()[type].sizeInBytes()).append(' ').append(TYPES.get(type));
    }
}
