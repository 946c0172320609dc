package org.tributary.wire.shape;

import org.tributary.wire.codec.ElementCode;

/** Types of the elements that can be accumulated, reduced and kept in global arrays. */
public enum ElementType {
    /** 32-bit integer. */
    INT(4, 4, ElementCode.INT),
    /** 64-bit integer. */
    LONG(8, 8, ElementCode.LONG),
    /** IEEE 754 binary32. */
    FLOAT(4, 4, ElementCode.FLOAT),
    /** IEEE 754 binary64. */
    DOUBLE(8, 8, ElementCode.DOUBLE),
    /** Pair of binary32: real, imaginary. */
    COMPLEX_FLOAT(8, 4, ElementCode.COMPLEX_FLOAT),
    /** Pair of binary64: real, imaginary. */
    COMPLEX_DOUBLE(16, 8, ElementCode.COMPLEX_DOUBLE);

    private static final ElementType[] BY_CODE = values();
    private final int sizeInBytes;
    private final int componentBytes;
    private final ElementCode code;

    ElementType(int sizeInBytes, int componentBytes, ElementCode code) {
        this.sizeInBytes = sizeInBytes;
        this.componentBytes = componentBytes;
        this.code = code;
    }

    public int sizeInBytes() {
        return sizeInBytes;
    }

    /** Bytes of one component; elements must be aligned to this. */
    public int componentBytes() {
        return componentBytes;
    }

    /** How messages name the type. */
    public ElementCode code() {
        return code;
    }

    /** The bits of the number 1, as messages carry the real part of a scale. */
    public long one() {
        return switch (this) {
            case INT, LONG -> 1;
            case FLOAT, COMPLEX_FLOAT -> Float.floatToRawIntBits(1);
            case DOUBLE, COMPLEX_DOUBLE -> Double.doubleToRawLongBits(1);
        };
    }

    /** The type of a message, or null when the code is none. */
    public static ElementType of(ElementCode code) {
        return code == ElementCode.NULL_VAL ? null : BY_CODE[code.value()];
    }
}
