package org.tributary.globalarrays.kernel;

import org.tributary.config.ConfigException;
import org.tributary.wire.shape.ElementType;

/**
 * The kinds of {@link TileProduct}, by the type of their elements. Doubles and floats are multiplied by OpenBLAS where
 * it is installed ({@code libopenblas.so.0}), otherwise in Java, as the other types are. The property
 * {@code tributary.blas} chooses: {@code none}, or the library or file of another CBLAS.
 */
public final class TileProducts {
    private static final int OF_LIBRARY = 512;
    private static final int OF_JAVA = 256;

    private TileProducts() {
    }

    private static boolean isOfBlas(ElementType type) {
        return type == ElementType.FLOAT || type == ElementType.DOUBLE;
    }

    /** The library that this process uses for such elements; null for none. */
    private static Blas blas(ElementType type) {
        return isOfBlas(type) ? Blas.found() : null;
    }

    /** The longest side of tiles that pays: more of it saves communication, but leaves the caches. */
    public static int largestSide(ElementType type) {
        return blas(type) != null ? OF_LIBRARY : OF_JAVA; // a library blocks for caches by itself
    }

    /** What multiplies tiles of such elements: the name and version of a library, or {@code Java}. */
    public static String by(ElementType type) {
        Blas blas = blas(type);
        return blas == null ? "Java" : blas.name();
    }

    /**
     * Room for tiles of the given sizes.
     *
     * @param type    any but INT and LONG; complex floats are multiplied and summed in double precision
     * @param rows    most rows of the result
     * @param columns most columns of the result
     * @param depth   longest inner dimension of one product
     * @throws IllegalArgumentException for an integer type
     * @throws ConfigException          when the library of {@code tributary.blas} cannot be used
     */
    public static TileProduct of(ElementType type, int rows, int columns, int depth) {
        return of(type, rows, columns, depth, blas(type));
    }

    /** The same, by a library; in Java when that is null. */
    static TileProduct of(ElementType type, int rows, int columns, int depth, Blas blas) {
        if (blas != null && isOfBlas(type)) {
            return new BlasProduct(blas, type, rows, columns, depth);
        }
        return switch (type) {
            case FLOAT -> new FloatProduct(rows, columns, depth);
            case DOUBLE -> new DoubleProduct(rows, columns, depth);
            case COMPLEX_FLOAT, COMPLEX_DOUBLE -> new ComplexProduct(type, rows, columns, depth);
            case INT, LONG -> throw new IllegalArgumentException("no matrix product of elements of type " + type);
        };
    }
}
