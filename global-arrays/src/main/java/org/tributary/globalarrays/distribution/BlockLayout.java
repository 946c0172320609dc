package org.tributary.globalarrays.distribution;

/**
 * Where an owner keeps its elements: its block and the ghost cells around it in row-major order, from byte 0 of its
 * part of the array's memory.
 * <pre>
 *   |&lt;---------- stride(0) bytes ----------&gt;|
 *   +---------------------------------------+
 *   |            ghost cells                |  ghost(0) rows
 *   |          +-----------------+          |
 *   | ghost(1) | block of owner  | ghost(1) |  hi - lo rows
 *   |          +-----------------+          |
 *   |            ghost cells                |  ghost(0) rows
 *   +---------------------------------------+
 * </pre>
 * An owner of nothing keeps nothing. Immutable and thread-safe.
 */
public final class BlockLayout {
    private final Distribution distribution;
    private final int[] ghosts;
    private final int elementBytes;

    /**
     * Lays out the blocks of a distribution.
     *
     * @param ghosts width of the ghost cells on both sides in each dimension, at least 0
     * @throws IllegalArgumentException for a negative width, or one beyond the dimension's length
     */
    public BlockLayout(Distribution distribution, int[] ghosts, int elementBytes) {
        if (ghosts.length != distribution.dimensions()) {
            throw new IllegalArgumentException(ghosts.length + " ghost widths for " + distribution.dimensions()
                + " dimensions");
        }
        for (int d = 0; d < ghosts.length; d++) {
            if (ghosts[d] < 0 || ghosts[d] > distribution.dimension(d)) {
                throw new IllegalArgumentException("ghost width " + ghosts[d] + " of dimension " + d
                    + " is not between 0 and its length " + distribution.dimension(d));
            }
        }
        this.distribution = distribution;
        this.ghosts = ghosts.clone();
        this.elementBytes = elementBytes;
    }

    /** The block map. */
    public Distribution distribution() {
        return distribution;
    }

    /** Width of the ghost cells of a dimension, on each side. */
    public int ghost(int dimension) {
        return ghosts[dimension];
    }

    public int elementBytes() {
        return elementBytes;
    }

    /**
     * Bytes that an owner keeps, ghost cells included.
     *
     * @throws ArithmeticException when they do not fit a long
     */
    public long bytes(int owner) {
        if (owner >= distribution.blockCount()) {
            return 0;
        }
        long bytes = elementBytes;
        for (int d = 0; d < ghosts.length; d++) {
            bytes = Math.multiplyExact(bytes, allocated(owner, d));
        }
        return bytes;
    }

    /** Bytes from an element of an owner to the next in each dimension. */
    public long[] strides(int owner) {
        long[] strides = new long[ghosts.length];
        long stride = elementBytes;
        for (int d = ghosts.length - 1; d >= 0; d--) {
            strides[d] = stride;
            stride *= allocated(owner, d);
        }
        return strides;
    }

    /** Byte offset of an element in its owner's part; a ghost cell has one too. Allocates nothing. */
    public long offset(int owner, long... index) {
        long offset = 0;
        long stride = elementBytes;
        for (int d = ghosts.length - 1; d >= 0; d--) {
            offset += (index[d] - distribution.lo(owner, d) + ghosts[d]) * stride;
            stride *= allocated(owner, d);
        }
        return offset;
    }

    /** The block of an owner with its ghost cells; empty for an owner of nothing. */
    public Patch allocatedPatch(int owner) {
        Patch own = distribution.patchOf(owner);
        if (own.isEmpty()) {
            return own;
        }
        long[] lo = own.lo();
        long[] hi = own.hi();
        for (int d = 0; d < ghosts.length; d++) {
            lo[d] -= ghosts[d];
            hi[d] += ghosts[d];
        }
        return Patch.of(lo, hi);
    }

    private long allocated(int owner, int dimension) {
        return distribution.hi(owner, dimension) - distribution.lo(owner, dimension) + 2L * ghosts[dimension];
    }
}
