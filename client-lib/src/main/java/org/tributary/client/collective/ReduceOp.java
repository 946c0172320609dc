package org.tributary.client.collective;

/**
 * How a reduction combines two elements. All of them are commutative; integers wrap around, floating-point minimum and
 * maximum are those of {@link Math#min(double, double)}: NaN wins, and -0 is below +0.
 */
public enum ReduceOp {
    /** Sum; complex numbers by components. */
    SUM,
    /** Product; the complex product for complex numbers. */
    PRODUCT,
    /** The smaller one; not for complex numbers, which have no order. */
    MIN,
    /** The larger one; not for complex numbers, which have no order. */
    MAX
}
