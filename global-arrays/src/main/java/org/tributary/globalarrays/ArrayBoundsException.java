package org.tributary.globalarrays;

/** An index or section lies outside an array. Nothing was transferred. */
public final class ArrayBoundsException extends IndexOutOfBoundsException {
    private static final long serialVersionUID = 1;
    private final String array;
    private final int dimension;
    private final long lo;
    private final long hi;
    private final long limit;

    /** The range [lo, hi) asked for in a dimension of length {@code limit}. */
    ArrayBoundsException(String array, int dimension, long lo, long hi, long limit) {
        super("array '" + array + "', dimension " + dimension + ": "
            + (hi == lo + 1 ? "index " + lo : "range [" + lo + ", " + hi + ")") + " lies outside [0, " + limit + ")");
        this.array = array;
        this.dimension = dimension;
        this.lo = lo;
        this.hi = hi;
        this.limit = limit;
    }

    /** Name of the array. */
    public String array() {
        return array;
    }

    /** Dimension, counted from 0, whose bounds were violated. */
    public int dimension() {
        return dimension;
    }

    /** First index asked for. */
    public long lo() {
        return lo;
    }

    /** One past the last index asked for. */
    public long hi() {
        return hi;
    }

    /** Length of the dimension. */
    public long limit() {
        return limit;
    }
}
