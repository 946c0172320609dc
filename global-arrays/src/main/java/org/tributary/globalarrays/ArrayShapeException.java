package org.tributary.globalarrays;

/** Arguments of an operation do not fit each other or the array: dimensions, element types, buffer sizes, numbers. */
public final class ArrayShapeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;
    private final String array;

    ArrayShapeException(String array, String problem) {
        super("array '" + array + "': " + problem);
        this.array = array;
    }

    /** Name of the array. */
    public String array() {
        return array;
    }
}
