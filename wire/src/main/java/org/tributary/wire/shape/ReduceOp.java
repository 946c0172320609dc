package org.tributary.wire.shape;

import org.tributary.wire.codec.ReduceCode;

/**
 * How two elements are combined, in reductions and in accumulates to windows. All but {@link #REPLACE} and
 * {@link #NO_OP} are commutative; integers wrap around, floating-point minimum and maximum are those of
 * {@link Math#min(double, double)}: NaN wins, and -0 is below +0.
 */
public enum ReduceOp {
    /** Sum; complex numbers by components. */
    SUM(ReduceCode.SUM),
    /** Product; the complex product for complex numbers. */
    PRODUCT(ReduceCode.PRODUCT),
    /** The smaller one; not for complex numbers, which have no order. */
    MIN(ReduceCode.MIN),
    /** The larger one; not for complex numbers, which have no order. */
    MAX(ReduceCode.MAX),
    /** 1 when neither is 0, else 0; integers only. */
    LOGICAL_AND(ReduceCode.LOGICAL_AND),
    /** 1 when not both are 0, else 0; integers only. */
    LOGICAL_OR(ReduceCode.LOGICAL_OR),
    /** 1 when exactly one is 0, else 0; integers only. */
    LOGICAL_XOR(ReduceCode.LOGICAL_XOR),
    /** Bitwise and; integers only. */
    BITWISE_AND(ReduceCode.BITWISE_AND),
    /** Bitwise or; integers only. */
    BITWISE_OR(ReduceCode.BITWISE_OR),
    /** Bitwise exclusive or; integers only. */
    BITWISE_XOR(ReduceCode.BITWISE_XOR),
    /** The new element; accumulates only. */
    REPLACE(ReduceCode.REPLACE),
    /** The old element, which is of use where it is returned; accumulates only. */
    NO_OP(ReduceCode.NO_OP);

    private static final ReduceOp[] ALL = values();

    private final ReduceCode code;

    ReduceOp(ReduceCode code) {
        this.code = code;
    }

    public ReduceCode code() {
        return code;
    }

    /** The operation of a message, or null when its code is none of these. */
    public static ReduceOp of(ReduceCode code) {
        int value = code.value();
        return value < ALL.length ? ALL[value] : null;
    }

    public boolean isDefinedFor(ElementType type) {
        return switch (this) {
            case SUM, PRODUCT, REPLACE, NO_OP -> true;
            case MIN, MAX -> type != ElementType.COMPLEX_FLOAT && type != ElementType.COMPLEX_DOUBLE;
            default -> type == ElementType.INT || type == ElementType.LONG;
        };
    }
}
