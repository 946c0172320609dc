package org.tributary.globalarrays;

/** An operation on an array after its {@code destroy()}. */
public final class ArrayDestroyedException extends IllegalStateException {
    private static final long serialVersionUID = 1;
    private final String array;

    ArrayDestroyedException(String array) {
        super("array '" + array + "' was destroyed");
        this.array = array;
    }

    /** Name of the array. */
    public String array() {
        return array;
    }
}
