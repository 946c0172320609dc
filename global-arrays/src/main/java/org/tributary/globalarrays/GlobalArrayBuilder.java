package org.tributary.globalarrays;

import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.globalarrays.distribution.BlockLayout;
import org.tributary.globalarrays.distribution.Distribution;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.status.CallDescription;

/**
 * Describes an array before it is created: all ranks of its group give the same description. Without further calls the
 * array is spread evenly over all ranks of the job, without ghost cells.
 */
public final class GlobalArrayBuilder {
    private final Gas gas;
    private final String name;
    private final ElementType type;
    private final long[] dims;
    private Group group;
    private long[] minimumChunks;
    private long[][] blockStarts;
    private int[] ghosts;
    private boolean[] periodic;

    /** An array of the given lengths; see {@link GlobalArray#builder}. */
    GlobalArrayBuilder(Gas gas, String name, ElementType type, long... dims) {
        this.gas = gas;
        this.name = name;
        this.type = type;
        this.dims = dims.clone();
        this.group = gas.world();
        this.ghosts = new int[dims.length];
        this.periodic = new boolean[dims.length];
    }

    /** Spreads the array over the members of a group, in the group's order; only they call {@link #create}. */
    public GlobalArrayBuilder group(Group members) {
        group = members;
        return this;
    }

    /**
     * Least length of a block in each dimension, where the dimension allows; 1 asks for nothing, the length of the
     * dimension keeps it whole.
     */
    public GlobalArrayBuilder minimumChunks(long... lengths) {
        minimumChunks = lengths.clone();
        return this;
    }

    /**
     * Cuts the array at given places instead of evenly: for each dimension the first index of each block, 0 first. The
     * blocks go to the ranks of the group in row-major order, and there are at most as many as ranks.
     */
    public GlobalArrayBuilder blocks(long[]... startsOfEachDimension) {
        blockStarts = Arrays.stream(startsOfEachDimension).map(long[]::clone).toArray(long[][]::new);
        return this;
    }

    /** Width of the ghost cells on both sides of each block, for each dimension. */
    public GlobalArrayBuilder ghosts(int... widths) {
        ghosts = widths.clone();
        return this;
    }

    /** In which dimensions {@code updateGhosts} takes ghost cells outside the array from its opposite side. */
    public GlobalArrayBuilder periodic(boolean... dimensions) {
        periodic = dimensions.clone();
        return this;
    }

    /**
     * Creates the array; its elements are undefined at first. Collective.
     *
     * @throws ArrayShapeException when the description is not consistent, and on a rank that is no member of the group
     */
    public GlobalArray create() {
        if (!group.isMember()) { // and knows no number of ranks to spread an array over
            throw new ArrayShapeException(name, "only members of its group create it, and rank " + gas.rank()
                + " is none");
        }
        return create(layout());
    }

    private BlockLayout layout() {
        try {
            if (blockStarts != null && minimumChunks != null) {
                throw new IllegalArgumentException("minimum chunks do not go with given blocks");
            }
            if (periodic.length != dims.length) {
                throw new IllegalArgumentException(periodic.length + " periodic flags for " + dims.length
                    + " dimensions");
            }
            Distribution distribution = blockStarts != null
                ? Distribution.irregular(group.size(), dims, blockStarts)
                : Distribution.regular(group.size(), dims, minimumChunks == null ? ones() : minimumChunks);
            BlockLayout layout = new BlockLayout(distribution, ghosts, type.sizeInBytes());
            for (int owner = 0; owner < distribution.blockCount(); owner++) {
                layout.bytes(owner);
            }
            return layout;
        } catch (ArithmeticException | IllegalArgumentException e) {
            ArrayShapeException misfit = new ArrayShapeException(name, e instanceof ArithmeticException
                ? Arrays.toString(dims) + " elements of type " + type + " are more than a rank can hold"
                : e.getMessage());
            misfit.initCause(e);
            throw misfit;
        }
    }

    private long[] ones() {
        long[] ones = new long[dims.length];
        Arrays.fill(ones, 1);
        return ones;
    }

    private GlobalArray create(BlockLayout layout) {
        GlobalMemory memory = gas.allocate(group, layout.bytes(group.rank()), whatAllMustGive(layout));
        return new GlobalArray(gas, memory, name, type, layout, periodic);
    }

    /** All but the name, which is everybody's own matter. What comes first is what a message has room for. */
    private String whatAllMustGive(BlockLayout layout) {
        Distribution distribution = layout.distribution();
        int[] ghosts = new int[dims.length];
        long blocks = 0;
        for (int dimension = 0; dimension < dims.length; dimension++) {
            ghosts[dimension] = layout.ghost(dimension);
            for (int owner = 0; owner < distribution.blockCount(); owner++) {
                blocks = CallDescription.mix(blocks + distribution.lo(owner, dimension));
            }
        }
        return "array of " + type + " " + Arrays.toString(dims) + ", ghosts " + Arrays.toString(ghosts) + ", periodic "
            + Arrays.toString(periodic) + ", blocks " + Long.toHexString(blocks);
    }

    /** A second array like a given one. */
    static GlobalArray like(GlobalArray array, Gas gas, String name, boolean[] periodic) {
        GlobalArrayBuilder builder = new GlobalArrayBuilder(gas, name, array.type(), array.dims())
            .group(array.group()).periodic(periodic);
        return builder.create(array.layout());
    }
}
