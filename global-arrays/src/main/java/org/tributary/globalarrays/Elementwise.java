package org.tributary.globalarrays;

import org.tributary.client.shape.Scale;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.kernel.DotProduct;
import org.tributary.globalarrays.kernel.Rows;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * Collective operations on all elements: every rank computes its own block of the result and reads what it needs of the
 * operands, without a message where those are distributed alike.
 */
final class Elementwise {
    /** Elements fetched at once of an operand that is distributed otherwise. */
    private static final long TILE_ELEMENTS = 1 << 16;

    private Elementwise() {
    }

    static void fill(GlobalArray array, Scale value) {
        array.sync();
        Block own = array.access();
        Tiles.forEachRow(own.patch(), (index, count) -> Rows.fill(value, own.segment(), own.offset(index), count));
        array.meet();
    }

    static void scale(GlobalArray array, Scale factor) {
        array.sync();
        Block own = array.access();
        Tiles.forEachRow(own.patch(), (index, count) -> Rows.scale(factor, own.segment(), own.offset(index), count));
        array.meet();
    }

    static void add(GlobalArray c, Scalar alpha, GlobalArray a, Scalar beta, GlobalArray b) {
        ArrayChecks.conforms(c, a.alive());
        ArrayChecks.conforms(c, b.alive());
        Scale alphaScale = alpha.toScale(c.name(), c.type());
        Scale betaScale = beta.toScale(c.name(), c.type());
        c.sync();
        Block own = c.access();
        Operand left = new Operand(a);
        Operand right = new Operand(b);
        Tiles.forEach(own.patch(), tileLimit(own.patch(), left, right), tile -> {
            Operand.View viewA = left.load(tile);
            Operand.View viewB = right.load(tile);
            Tiles.forEachRow(tile, (index, count) -> Rows.add(own.segment(), own.offset(index), alphaScale,
                viewA.memory(), viewA.at(index), betaScale, viewB.memory(), viewB.at(index), count));
        });
        c.meet();
    }

    static Scalar dot(GlobalArray a, GlobalArray b) {
        ArrayChecks.conforms(a, b.alive());
        a.sync();
        DotProduct sum = new DotProduct(a.type());
        Block own = a.access();
        Operand other = new Operand(b);
        Tiles.forEach(own.patch(), tileLimit(own.patch(), other, other), tile -> {
            Operand.View view = other.load(tile);
            Tiles.forEachRow(tile, (index, count) ->
                sum.addRow(own.segment(), own.offset(index), view.memory(), view.at(index), count));
        });
        return reduce(a, sum);
    }

    /** The reduction also keeps any rank from changing an operand that another still reads. */
    private static Scalar reduce(GlobalArray a, DotProduct sum) {
        if (a.type() == ElementType.INT || a.type() == ElementType.LONG) {
            return Scalar.of(a.group().allreduce(ReduceOp.SUM, sum.integer()));
        }
        double[] parts = {sum.re(), sum.im()};
        a.group().allreduce(ReduceOp.SUM, parts);
        return Scalar.of(parts[0], parts[1]);
    }

    static void copy(GlobalArray source, GlobalArray target) {
        ArrayChecks.conforms(target, source.alive());
        target.sync();
        Block own = target.access();
        if (!own.patch().isEmpty()) {
            source.patches().move(PatchTransfer.Operation.GET, own.patch(),
                new PatchTransfer.Local(own.segment(), own.start(), own.strides()), null);
        }
        target.meet();
    }

    /** All at once when both operands can be read in place. */
    private static long tileLimit(Patch patch, Operand left, Operand right) {
        return left.isOwn(patch) && right.isOwn(patch) ? Long.MAX_VALUE : TILE_ELEMENTS;
    }
}
