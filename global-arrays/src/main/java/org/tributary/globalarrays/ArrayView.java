package org.tributary.globalarrays;

import java.lang.foreign.MemorySegment;
import org.tributary.client.GlobalMemory;
import org.tributary.globalarrays.distribution.BlockLayout;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.distribution.Tiles;
import org.tributary.wire.shape.ElementType;

/** Base of typed views: where elements are, and the rows of this rank's block. Thread-safe. */
abstract sealed class ArrayView permits DoubleView, FloatView, LongView, IntView {
    final GlobalMemory memory;
    /** This rank's own block. */
    final MemorySegment own;
    private final GlobalArray array;
    private final BlockLayout layout;
    private final int self;

    /** Refuses an array with elements of another type. */
    ArrayView(GlobalArray array, ElementType needed) {
        if (array.type() != needed) {
            throw new ArrayShapeException(array.name(), "a view of " + needed + " does not fit its elements of type "
                + array.type());
        }
        this.array = array;
        memory = array.memory();
        own = array.access().segment();
        layout = array.layout();
        self = array.group().rank();
    }

    /** The array that is viewed. */
    public final GlobalArray array() {
        return array;
    }

    /** The owner of an element, by its number in the group; the index is checked. */
    final int owner(long... index) {
        ArrayChecks.index(array.alive().name(), layout.distribution(), index);
        return layout.distribution().ownerOf(index);
    }

    final boolean isOwn(int owner) {
        return owner == self;
    }

    final int rank(int owner) {
        return array.group().worldRank(owner);
    }

    /** Byte offset of an element in its owner's part. */
    final long offset(int owner, long... index) {
        return layout.offset(owner, index);
    }

    /** Visitor of the rows of the own block. */
    interface Row {
        /** {@code count} elements from a byte offset on; the visitor may step the index along the last dimension. */
        void visit(long offset, long[] index, int count);
    }

    /** All rows of what this rank owns. */
    final void forEachOwnRow(Row row) {
        array.alive();
        rows(layout.distribution().patchOf(self), row);
    }

    /** The rows of what this rank owns of a patch, once all members are here. Collective. */
    final void forEachOwnRow(Patch patch, Row row) {
        ArrayChecks.patch(array.name(), layout.distribution(), patch);
        array.barrier();
        rows(layout.distribution().patchOf(self).intersect(patch), row);
    }

    private void rows(Patch patch, Row row) {
        Tiles.forEachRow(patch, (index, count) -> row.visit(layout.offset(self, index), index, count));
    }

    /** Ends a collective operation in which each rank wrote its own block only. */
    final void meet() {
        array.meet();
    }

    /** A number of each member, by member. Collective. */
    final long[] gather(long bits) {
        return array.group().allgather(bits);
    }
}
