package org.tributary.globalarrays;

import java.lang.foreign.ValueLayout;
import java.util.function.LongBinaryOperator;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.wire.shape.ElementType;

/**
 * An array of type LONG as numbers of Java's type {@code long}. Elements of this rank's own block are plain memory;
 * others are got and put as by {@link GlobalArray}: what {@link #set} writes is visible to all after a {@code
 * barrier()}.
 * <pre>{@code
 * LongView a = LongView.of(array);
 * a.map(Patch.whole(array.dims()), (value, index) -> index[0] == index[1] ? 1 : 2 * value);
 * long sum = a.reduce(Patch.of(0, 10, 0, 10), 0, Long::sum);
 * }</pre>
 *
 * <p>An index has an entry for each dimension. Callbacks get one that is used again for the next element: keep a copy.
 * Methods marked <em>collective</em> are called by all members of the array's group, by one thread each; the others are
 * one-sided. All are thread-safe. A patch or index outside the array is refused with an {@link ArrayBoundsException},
 * a wrong number of dimensions with an {@link ArrayShapeException}, a closed array with an {@link
 * ArrayClosedException}; then nothing has been changed.
 */
public final class LongView extends ArrayView {
    private static final ValueLayout.OfLong LAYOUT = ValueLayout.JAVA_LONG_UNALIGNED;

    private LongView(GlobalArray array) {
        super(array, ElementType.LONG);
    }

    /**
     * Views an array, which stays what it is; local.
     *
     * @throws ArrayShapeException when its elements are of another type
     */
    public static LongView of(GlobalArray array) {
        return new LongView(array);
    }

    /** Something done with an element. */
    @FunctionalInterface
    public interface Visitor {
        /** Takes the value of an element and its index in the whole array. */
        void visit(long value, long... index);
    }

    /** A number made of an element. */
    @FunctionalInterface
    public interface Mapping {
        /** Makes it of the value of an element and its index in the whole array. */
        long map(long value, long... index);
    }

    /** Reads one element. */
    public long get(long... index) {
        int owner = owner(index);
        long offset = offset(owner, index);
        return isOwn(owner) ? own.get(LAYOUT, offset) : memory.getLong(rank(owner), offset);
    }

    /** Writes one element; the value is on its way when this returns, as after {@link GlobalArray#put}. */
    public void set(long value, long... index) {
        int owner = owner(index);
        long offset = offset(owner, index);
        if (isOwn(owner)) {
            own.set(LAYOUT, offset, value);
        } else {
            memory.putLong(rank(owner), offset, value);
        }
    }

    /** Visits the elements that this rank owns, in row-major order, without synchronization. Local. */
    public void forEachLocal(Visitor visitor) {
        forEachOwnRow((offset, index, count) -> visit(visitor, offset, index, count));
    }

    private void visit(Visitor visitor, long offset, long[] index, int count) {
        for (int i = 0; i < count; i++) {
            visitor.visit(own.get(LAYOUT, offset + (long) Long.BYTES * i), index);
            index[index.length - 1]++;
        }
    }

    /** Replaces each element of a patch by what the mapping makes of it; each rank maps its own. Collective. */
    public void map(Patch patch, Mapping mapping) {
        forEachOwnRow(patch, (offset, index, count) -> {
            for (int i = 0; i < count; i++) {
                long at = offset + (long) Long.BYTES * i;
                own.set(LAYOUT, at, mapping.map(own.get(LAYOUT, at), index));
                index[index.length - 1]++;
            }
        });
        meet();
    }

    /** Combines the elements of a patch, as the other {@code reduce} without a mapping. Collective. */
    public long reduce(Patch patch, long identity, LongBinaryOperator operator) {
        return reduce(patch, identity, (value, index) -> value, operator);
    }

    /**
     * Combines what the mapping makes of each element of a patch: each rank that of its own elements in row-major
     * order, then all ranks the results in the group's order. So the result is the same on every rank, bit by bit; for
     * an operator that rounds, it depends on how the array is spread. Collective.
     *
     * @param identity which the operator leaves every number as it is with; the result for an empty patch
     * @param operator an associative operator
     */
    public long reduce(Patch patch, long identity, Mapping mapping, LongBinaryOperator operator) {
        long[] result = {identity};
        forEachOwnRow(patch, (offset, index, count) -> visit((value, at) ->
            result[0] = operator.applyAsLong(result[0], mapping.map(value, at)), offset, index, count));
        long[] all = gather(result[0]);
        result[0] = identity;
        for (long bits : all) {
            result[0] = operator.applyAsLong(result[0], bits);
        }
        return result[0];
    }
}
