package org.tributary.globalarrays.distribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The block map of an array: each dimension is cut into blocks, and the grid of blocks is dealt to owners 0, 1, 2,
 * ... in row-major order. Owners beyond the last block own nothing. Immutable and thread-safe.
 */
public final class Distribution {
    /** Most dimensions of an array, as in the Global Arrays toolkit. */
    public static final int MAX_DIMENSIONS = 7;

    private final int owners;
    private final long[] dims;
    private final Blocks[] blocks;
    private final int blockCount;

    private Distribution(int owners, long[] dims, Blocks[] blocks) {
        long count = 1;
        for (Blocks one : blocks) {
            count = Math.multiplyExact(count, one.count());
        }
        if (count > owners) {
            throw new IllegalArgumentException(count + " blocks for " + owners + " ranks: each rank owns at most one");
        }
        this.owners = owners;
        this.dims = dims.clone();
        this.blocks = blocks;
        blockCount = (int) count;
    }

    /**
     * Blocks of nearly equal size over as many owners as is good, up to all of them.
     *
     * @param owners        ranks that may own a block, at least 1
     * @param dims          length of each dimension, at least 1
     * @param minimumChunks least length of a block in each dimension, at least 1; a dimension with its own length here
     *                      stays whole
     * @throws IllegalArgumentException when one of them is not so
     */
    public static Distribution regular(int owners, long[] dims, long[] minimumChunks) {
        check(owners, dims);
        if (minimumChunks.length != dims.length) {
            throw new IllegalArgumentException(minimumChunks.length + " minimum chunks for " + dims.length
                + " dimensions");
        }
        for (int d = 0; d < dims.length; d++) {
            if (minimumChunks[d] < 1) {
                throw new IllegalArgumentException("minimum chunk " + minimumChunks[d] + " of dimension " + d
                    + " is not positive");
            }
        }
        int[] grid = GridSearch.choose(owners, dims, minimumChunks);
        Blocks[] blocks = new Blocks[dims.length];
        for (int d = 0; d < dims.length; d++) {
            blocks[d] = new EvenBlocks(dims[d], grid[d]);
        }
        return new Distribution(owners, dims, blocks);
    }

    /**
     * Given blocks.
     *
     * @param owners ranks that may own a block, at least 1
     * @param starts for each dimension the first index of each block: 0 first, then rising
     * @throws IllegalArgumentException when there are more blocks than owners, or starts that do not rise within the
     *                                  dimension
     */
    public static Distribution irregular(int owners, long[] dims, long[][] starts) {
        check(owners, dims);
        if (starts.length != dims.length) {
            throw new IllegalArgumentException("block starts of " + starts.length + " dimensions for an array of "
                + dims.length);
        }
        Blocks[] blocks = new Blocks[dims.length];
        for (int d = 0; d < dims.length; d++) {
            blocks[d] = new GivenBlocks(d, dims[d], starts[d]);
        }
        return new Distribution(owners, dims, blocks);
    }

    private static void check(int owners, long[] dims) {
        if (owners < 1) {
            throw new IllegalArgumentException("an array is spread over 1 rank or more, not " + owners);
        }
        if (dims.length < 1 || dims.length > MAX_DIMENSIONS) {
            throw new IllegalArgumentException("an array has 1 to " + MAX_DIMENSIONS + " dimensions, not "
                + dims.length);
        }
        for (int d = 0; d < dims.length; d++) {
            if (dims[d] < 1) {
                throw new IllegalArgumentException("length " + dims[d] + " of dimension " + d + " is not positive");
            }
        }
    }

    /** Number of dimensions. */
    public int dimensions() {
        return dims.length;
    }

    /** Length of a dimension. */
    public long dimension(int dimension) {
        return dims[dimension];
    }

    /** A copy of the lengths of all dimensions. */
    public long[] dims() {
        return dims.clone();
    }

    /** Ranks that take part, whether they own a block or not. */
    public int owners() {
        return owners;
    }

    /** Ranks that own a block: 0 to this, exclusive. */
    public int blockCount() {
        return blockCount;
    }

    /** Number of blocks in a dimension. */
    public int blockCount(int dimension) {
        return blocks[dimension].count();
    }

    /** The owner of the element at an index that lies in the array. Allocates nothing. */
    public int ownerOf(long... index) {
        int owner = 0;
        for (int d = 0; d < dims.length; d++) {
            owner = owner * blocks[d].count() + blocks[d].blockOf(index[d]);
        }
        return owner;
    }

    /** First index of an owner's block in a dimension, 0 for an owner of nothing. Allocates nothing. */
    public long lo(int owner, int dimension) {
        return owner < blockCount ? blocks[dimension].start(coordinate(owner, dimension)) : 0;
    }

    /** One past the last index of an owner's block in a dimension, 0 for an owner of nothing. Allocates nothing. */
    public long hi(int owner, int dimension) {
        return owner < blockCount ? blocks[dimension].start(coordinate(owner, dimension) + 1) : 0;
    }

    private int coordinate(int owner, int dimension) {
        int rest = owner;
        for (int d = dims.length - 1; d > dimension; d--) {
            rest /= blocks[d].count();
        }
        return rest % blocks[dimension].count();
    }

    /** The block of an owner; an owner of nothing has an empty patch. */
    public Patch patchOf(int owner) {
        long[] lo = new long[dims.length];
        long[] hi = new long[dims.length];
        for (int d = 0; d < dims.length; d++) {
            lo[d] = lo(owner, d);
            hi[d] = hi(owner, d);
        }
        return Patch.of(lo, hi);
    }

    /** The pieces of a patch that lies in the array, one of each owner, by rising owner; none of an empty patch. */
    public List<Piece> pieces(Patch patch) {
        if (patch.isEmpty()) {
            return List.of();
        }
        int[] first = new int[dims.length];
        int[] last = new int[dims.length];
        for (int d = 0; d < dims.length; d++) {
            first[d] = blocks[d].blockOf(patch.lo(d));
            last[d] = blocks[d].blockOf(patch.hi(d) - 1);
        }
        List<Piece> pieces = new ArrayList<>();
        int[] at = first.clone();
        do {
            int owner = 0;
            for (int d = 0; d < dims.length; d++) {
                owner = owner * blocks[d].count() + at[d];
            }
            pieces.add(new Piece(owner, patchOf(owner).intersect(patch)));
        } while (next(at, first, last));
        return pieces;
    }

    /** Steps a counter through a box in row-major order; false after its end. */
    private static boolean next(int[] at, int[] first, int[] last) {
        for (int d = at.length - 1; d >= 0; d--) {
            if (at[d] < last[d]) {
                at[d]++;
                return true;
            }
            at[d] = first[d];
        }
        return false;
    }

    /** Whether another distribution gives every element to the same owner. */
    public boolean sameBlocks(Distribution other) {
        if (!Arrays.equals(dims, other.dims)) {
            return false;
        }
        for (int d = 0; d < dims.length; d++) {
            if (blocks[d].count() != other.blocks[d].count()) {
                return false;
            }
            for (int block = 0; block < blocks[d].count(); block++) {
                if (blocks[d].start(block) != other.blocks[d].start(block)) {
                    return false;
                }
            }
        }
        return true;
    }
}
