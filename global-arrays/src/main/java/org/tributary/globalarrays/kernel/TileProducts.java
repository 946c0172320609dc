package org.tributary.globalarrays.kernel;

import org.tributary.wire.shape.ElementType;

/** The kinds of {@link TileProduct}, by the type of their elements. */
public final class TileProducts {
    private TileProducts() {
    }

    /**
     * Room for tiles of the given sizes.
     *
     * @param type    any but INT and LONG; complex floats are multiplied and summed in double precision
     * @param rows    most rows of the result
     * @param columns most columns of the result
     * @param depth   longest inner dimension of one product
     * @throws IllegalArgumentException for an integer type
     */
    public static TileProduct of(ElementType type, int rows, int columns, int depth) {
        return switch (type) {
            case FLOAT -> new FloatProduct(rows, columns, depth);
            case DOUBLE -> new DoubleProduct(rows, columns, depth);
            case COMPLEX_FLOAT, COMPLEX_DOUBLE -> new ComplexProduct(type, rows, columns, depth);
            case INT, LONG -> throw new IllegalArgumentException("no matrix product of elements of type " + type);
        };
    }
}
