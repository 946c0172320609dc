package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.Reducer;

/** One operation on one type of element, by a reducer that others may share. */
record Reduction(ReduceOp op, ElementType type, Reducer reducer) {
    /** Throws {@link IllegalArgumentException} when the operation is not {@link #defined} for the type. */
    Reduction {
        checkDefined(op, type);
    }

    /** Whether members may reduce so: the operation fits the type, and the order of members does not matter. */
    static boolean defined(ReduceOp op, ElementType type) {
        return isCommutative(op) && op.isDefinedFor(type);
    }

    private static boolean isCommutative(ReduceOp op) {
        return op != ReduceOp.REPLACE && op != ReduceOp.NO_OP;
    }

    static void checkDefined(ReduceOp op, ElementType type) {
        if (!defined(op, type)) {
            throw new IllegalArgumentException(op + " is not defined for " + type + ": " + reason(op));
        }
    }

    private static String reason(ReduceOp op) {
        return switch (op) {
            case MIN, MAX -> "complex numbers have no order; SUM and PRODUCT are defined";
            case REPLACE, NO_OP -> "its result depends on the order of members; it is for accumulates";
            default -> "it combines integers only, INT and LONG";
        };
    }

    int elementBytes() {
        return type.sizeInBytes();
    }

    /** {@code accumulator = accumulator op input} over whole elements. */
    void combine(MemorySegment accumulator, long at, MemorySegment input, long from, long bytes) {
        reducer.combine(op, type, accumulator, at, input, from, bytes);
    }
}
