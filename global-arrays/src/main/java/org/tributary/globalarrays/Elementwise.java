package org.tributary.globalarrays;

import org.tributary.client.shape.Scale;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.distribution.Tiles;
import org.tributary.globalarrays.kernel.DotProduct;
import org.tributary.globalarrays.kernel.Rows;
import org.tributary.wire.shape.ElementType;

/**
 * A rank's part in collective operations on all elements: it computes its own block of the result and reads what it
 * needs of the operands, without a message where those are distributed alike.
 */
final class Elementwise {
    /** Elements fetched at once of an operand that is distributed otherwise. */
    private static final long TILE_ELEMENTS = 1 << 16;

    private Elementwise() {
    }

    static void fill(Block own, Scale value) {
        Tiles.forEachRow(own.patch(), (index, count) -> Rows.fill(value, own.segment(), own.offset(index), count));
    }

    static void scale(Block own, Scale factor) {
        Tiles.forEachRow(own.patch(), (index, count) -> Rows.scale(factor, own.segment(), own.offset(index), count));
    }

    static void add(Block own, Scale alpha, Operand left, Scale beta, Operand right) {
        Tiles.forEach(own.patch(), tileLimit(own.patch(), left, right), tile -> {
            Operand.View viewA = left.load(tile);
            Operand.View viewB = right.load(tile);
            Tiles.forEachRow(tile, (index, count) -> Rows.add(own.segment(), own.offset(index), alpha,
                viewA.memory(), viewA.at(index), beta, viewB.memory(), viewB.at(index), count));
        });
    }

    /** The sum over the own block. */
    static DotProduct dot(ElementType type, Block own, Operand other) {
        DotProduct sum = new DotProduct(type);
        Tiles.forEach(own.patch(), tileLimit(own.patch(), other, other), tile -> {
            Operand.View view = other.load(tile);
            Tiles.forEachRow(tile, (index, count) ->
                sum.addRow(own.segment(), own.offset(index), view.memory(), view.at(index), count));
        });
        return sum;
    }

    /** All at once when both operands can be read in place. */
    private static long tileLimit(Patch patch, Operand left, Operand right) {
        return left.isOwn(patch) && right.isOwn(patch) ? Long.MAX_VALUE : TILE_ELEMENTS;
    }
}
