package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** One operation on one type of element. */
final class Reduction {
    private final ReduceOp op;
    private final ElementType type;
    private final Reducer reducer;

    /**
     * The reduction, by a reducer that others may share.
     *
     * @throws IllegalArgumentException when complex numbers are to be ordered
     */
    Reduction(ReduceOp op, ElementType type, Reducer reducer) {
        checkDefined(op, type);
        this.op = op;
        this.type = type;
        this.reducer = reducer;
    }

    static boolean defined(ReduceOp op, ElementType type) {
        boolean complex = type == ElementType.COMPLEX_FLOAT || type == ElementType.COMPLEX_DOUBLE;
        return !complex || op == ReduceOp.SUM || op == ReduceOp.PRODUCT;
    }

    static void checkDefined(ReduceOp op, ElementType type) {
        if (!defined(op, type)) {
            throw new IllegalArgumentException(op + " is not defined for " + type
                + ": complex numbers have no order; SUM and PRODUCT are defined");
        }
    }

    int elementBytes() {
        return type.sizeInBytes();
    }

    /** {@code accumulator = accumulator op input} over whole elements. */
    void combine(MemorySegment accumulator, long at, MemorySegment input, long from, long bytes) {
        reducer.combine(op, type, accumulator, at, input, from, bytes);
    }
}
