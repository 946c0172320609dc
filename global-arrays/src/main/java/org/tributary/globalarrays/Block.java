package org.tributary.globalarrays;

import java.lang.foreign.MemorySegment;
import org.tributary.globalarrays.distribution.BlockLayout;
import org.tributary.globalarrays.distribution.Patch;

/**
 * The block of one rank as plain memory, ghost cells included, in row-major order. Reads and writes are ordinary memory
 * accesses: after a {@code barrier()} they see what others put, and others see what was written here. There is nothing
 * to release; the memory is valid until the array is closed.
 */
public final class Block {
    private final BlockLayout layout;
    private final int owner;
    private final int rank;
    private final Patch patch;
    private final MemorySegment segment;
    private final long[] strides;

    /** The block of an owner, which is world rank {@code rank}, in its memory. */
    Block(BlockLayout layout, int owner, int rank, MemorySegment segment) {
        this.layout = layout;
        this.owner = owner;
        this.rank = rank;
        this.patch = layout.distribution().patchOf(owner);
        this.segment = segment;
        this.strides = layout.strides(owner);
    }

    /** World rank of the owner. */
    public int rank() {
        return rank;
    }

    /** The elements that the rank owns; empty when it owns nothing. */
    public Patch patch() {
        return patch;
    }

    /** The memory: all rows, with their ghost cells. */
    public MemorySegment segment() {
        return segment;
    }

    /** Bytes from one element to the next in a dimension. */
    public long stride(int dimension) {
        return strides[dimension];
    }

    /** Bytes from one element to the next in each dimension. */
    long[] strides() {
        return strides;
    }

    /**
     * Byte offset in {@link #segment()} of an element, by its index in the whole array; also of a ghost cell, whose
     * index goes on beyond the block. Not checked, as it stands in inner loops: the segment checks the access itself.
     */
    public long offset(long... index) {
        return layout.offset(owner, index);
    }

    /** Byte offset of the first element of the block. */
    long start() {
        return layout.offset(owner, patch.lo());
    }
}
