package org.tributary.globalarrays;

import org.tributary.config.ConfigException;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.distribution.Tiles;
import org.tributary.globalarrays.kernel.Transposition;
import org.tributary.wire.shape.ElementType;

/**
 * Collective operations on two-dimensional arrays. Every rank computes its own block of the result and reads what it
 * needs of the operands one-sidedly, so the arrays may be distributed in any way over the same group.
 */
public final class Matrices {
    private static final long TILE_ELEMENTS = 1 << 16;

    private Matrices() {
    }

    /** How an operand enters a product. */
    public enum Form {
        /** As it is. */
        PLAIN,
        /** Rows and columns exchanged; complex elements are not conjugated. */
        TRANSPOSED
    }

    /** {@code c = a b}. Collective. */
    public static void multiply(GlobalArray a, GlobalArray b, GlobalArray c) {
        multiply(Scalar.ONE, Form.PLAIN, a, Form.PLAIN, b, Scalar.ZERO, c);
    }

    /**
     * {@code c = alpha op(a) op(b) + beta c}, as {@code ga_dgemm} and its like. With {@code beta} 0, what {@code c}
     * held does not matter. Each rank multiplies tiles of doubles and floats by OpenBLAS where its host has it
     * ({@code libopenblas.so.0}), and in Java otherwise; the property {@code tributary.blas} of its JVM says
     * {@code none}, or names another library with the interface CBLAS. Collective.
     *
     * @param c another array than {@code a} and {@code b}
     * @throws ArrayShapeException when the shapes or types do not fit, or the elements are integers
     * @throws ConfigException     when the library that {@code tributary.blas} names cannot be used
     */
    public static void multiply(Scalar alpha, Form formA, GlobalArray a, Form formB, GlobalArray b, Scalar beta,
        GlobalArray c) {
        new MatrixMultiply(formA == Form.TRANSPOSED, a, formB == Form.TRANSPOSED, b, c).run(alpha, beta);
    }

    /**
     * {@code target[j][i] = source[i][j]}. Collective.
     *
     * @throws ArrayShapeException when the shapes or types do not fit, or both are the same array
     */
    public static void transpose(GlobalArray source, GlobalArray target) {
        ArrayChecks.matrix(source.alive());
        ArrayChecks.matrix(target.alive());
        if (source == target) {
            throw new ArrayShapeException(target.name(), "it cannot be transposed in place");
        }
        if (source.type() != target.type() || source.dims()[0] != target.dims()[1]
            || source.dims()[1] != target.dims()[0]) {
            throw new ArrayShapeException(target.name(), ArrayChecks.describe(target)
                + " is not the transposed shape of array '" + source.name() + "', " + ArrayChecks.describe(source));
        }
        ArrayChecks.sameRanks(target, source);
        target.barrier();
        Block own = target.access();
        Operand operand = source.operand();
        Tiles.forEach(own.patch(), TILE_ELEMENTS, tile -> {
            Patch mirrored = Patch.of(tile.lo(1), tile.hi(1), tile.lo(0), tile.hi(0));
            Operand.View view = operand.load(mirrored);
            Transposition.transpose(source.type().sizeInBytes(), view.memory(), view.offset(), view.strides()[0],
                own.segment(), own.offset(tile.lo()), own.stride(0), mirrored.extent(0), mirrored.extent(1));
        });
        target.meet();
    }

    /**
     * {@code a = (a + transposed a) / 2}, for a square array of a floating-point type. Collective; needs memory for a
     * second array meanwhile.
     */
    public static void symmetrize(GlobalArray a) {
        ArrayChecks.matrix(a.alive());
        if (a.dims()[0] != a.dims()[1] || a.type() == ElementType.INT || a.type() == ElementType.LONG) {
            throw new ArrayShapeException(a.name(), ArrayChecks.describe(a)
                + " cannot be made symmetric: a square array of a floating-point type is needed");
        }
        GlobalArray transposed = a.duplicate(a.name() + " transposed");
        transpose(a, transposed);
        a.add(Scalar.of(0.5), a, Scalar.of(0.5), transposed);
        transposed.close();
    }
}
