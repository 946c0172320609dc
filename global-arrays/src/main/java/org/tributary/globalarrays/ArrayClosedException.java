package org.tributary.globalarrays;

/** An operation on an array after its {@code close()}. */
public final class ArrayClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1;
    private final String array;

    ArrayClosedException(String array) {
        super("array '" + array + "' is closed");
        this.array = array;
    }

    /** Name of the array. */
    public String array() {
        return array;
    }
}
