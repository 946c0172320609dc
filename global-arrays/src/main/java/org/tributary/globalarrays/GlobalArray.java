package org.tributary.globalarrays;

import java.util.List;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Scale;
import org.tributary.globalarrays.distribution.BlockLayout;
import org.tributary.globalarrays.distribution.Distribution;
import org.tributary.globalarrays.distribution.GhostRegions;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.distribution.Piece;
import org.tributary.globalarrays.kernel.DotProduct;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * A dense array of 1 to 7 dimensions spread over the ranks of a group, in row-major order, in the vocabulary of the
 * Global Arrays toolkit. Indices start at 0; patches exclude their upper bounds ({@link Patch}); ranks are world
 * ranks.
 * <pre>{@code
 * GlobalArray a = GlobalArray.create(gas, "A", ElementType.DOUBLE, 1000, 1000);
 * a.fill(1.0);
 * a.accumulate(Patch.of(0, 10, 0, 10), contribution, 0.5);   // from any rank, whichever rank owns the section
 * a.barrier();
 * a.get(Patch.of(0, 100, 0, 100), buffer);
 * a.close();
 * }</pre>
 *
 * <p>Methods marked <em>collective</em> are called by all members of the group in the same order, by one thread each,
 * and those that touch elements begin with a {@link #barrier()} and end when all are done. All others are one-sided and
 * thread-safe. Blocking put, scatter and accumulate return when the caller's memory may be used again; {@code
 * barrier()} makes them visible to all. Bad arguments are refused before anything moves: {@link ArrayBoundsException}
 * for what lies outside the array, {@link ArrayShapeException} for what does not fit it, {@link ArrayClosedException}
 * after {@link #close()}.
 */
public final class GlobalArray implements ArrayChecks.Checked, AutoCloseable {
    private final Gas gas;
    private final GlobalMemory memory;
    private final String name;
    private final ElementType type;
    private final BlockLayout layout;
    private final boolean[] periodic;
    private final PatchTransfer patches;
    private final ElementTransfer elements;
    private final GhostExchange ghosts;
    private volatile boolean closed;

    /** Joins memory, of which each member of the group gave what {@code layout} says, to an array. */
    GlobalArray(Gas gas, GlobalMemory memory, String name, ElementType type, BlockLayout layout, boolean[] periodic) {
        this.gas = gas;
        this.memory = memory;
        this.name = name;
        this.type = type;
        this.layout = layout;
        this.periodic = periodic.clone();
        patches = new PatchTransfer(gas, memory, layout);
        elements = new ElementTransfer(gas, memory, layout);
        ghosts = new GhostExchange(gas, patches, GhostRegions.of(layout, periodic, group().rank()));
    }

    /**
     * Creates an array that is spread evenly over all ranks of the job. Collective.
     *
     * @param name names the array in messages
     * @param dims length of each dimension
     */
    public static GlobalArray create(Gas gas, String name, ElementType type, long... dims) {
        return builder(gas, name, type, dims).create();
    }

    /** Describes an array with more of a will of one's own: group, blocks, ghost cells. */
    public static GlobalArrayBuilder builder(Gas gas, String name, ElementType type, long... dims) {
        return new GlobalArrayBuilder(gas, name, type, dims);
    }

    /** Creates another array with the same type, shape, blocks and ghost cells; elements are not copied. Collective. */
    public GlobalArray duplicate(String newName) {
        return GlobalArrayBuilder.like(alive(), gas, newName, periodic);
    }

    /**
     * Closes the array. Collective, but waits for no other member: those may use the array until they close it, and its
     * memory goes back as that of {@link GlobalMemory#close}. Another close does nothing.
     */
    @Override
    public void close() {
        closed = true;
        memory.close();
    }

    /** Waits until all operations of all members of the group are complete and visible. Collective. */
    public void barrier() {
        alive();
        gas.fenceAll();
        memory.group().barrier();
    }

    /**
     * Ends a collective operation in which every rank wrote only its own block, as memory, or only read: no operation
     * is under way then that a fence would have to wait for.
     */
    void meet() {
        memory.group().barrier();
    }

    /** The name given at creation. */
    public String name() {
        return name;
    }

    /** Type of the elements; fixed at creation, the same on all ranks. */
    public ElementType type() {
        return type;
    }

    /** Ranks that the array is spread over. */
    public Group group() {
        return memory.group();
    }

    /** A copy of the lengths of all dimensions. */
    public long[] dims() {
        return layout.distribution().dims();
    }

    /** The block map; its owners are the ranks of {@link #group()}. */
    public Distribution distribution() {
        return layout.distribution();
    }

    /** Where owners keep their elements. */
    public BlockLayout layout() {
        return layout;
    }

    /** World rank of the owner of an element. */
    public int locate(long... index) {
        ArrayChecks.index(name, layout.distribution(), index);
        return group().worldRank(layout.distribution().ownerOf(index));
    }

    /** Owners of a patch, as world ranks, with what each holds of it. */
    public List<Piece> locateRegion(Patch patch) {
        ArrayChecks.patch(name, layout.distribution(), patch);
        return layout.distribution().pieces(patch).stream()
            .map(piece -> new Piece(group().worldRank(piece.owner()), piece.patch())).toList();
    }

    /** The patch of a world rank: empty for one that owns nothing or is no member of the group. */
    public Patch distribution(int rank) {
        int owner = group().groupRank(rank);
        return layout.distribution().patchOf(owner < 0 ? layout.distribution().owners() : owner);
    }

    /** This rank's own block as plain memory. */
    public Block access() {
        return access(gas.rank());
    }

    /**
     * The block of a member of the group on this node, as plain memory.
     *
     * @throws ArrayShapeException when the rank is not a member, or on another node
     */
    public Block access(int rank) {
        alive();
        int owner = group().groupRank(rank);
        if (owner < 0) {
            throw new ArrayShapeException(name, "rank " + rank + " is not a member of its group");
        }
        if (!memory.isShared(rank)) {
            throw new ArrayShapeException(name, "the block of rank " + rank + " is on another node than rank "
                + gas.rank() + ": get and put it instead");
        }
        return new Block(layout, owner, rank, rank == gas.rank() ? memory.local() : memory.shared(rank));
    }

    /** Whether the block of a world rank can be accessed as plain memory from this rank. */
    public boolean isAccessible(int rank) {
        return group().groupRank(rank) >= 0 && memory.isShared(rank);
    }

    /** Writes a patch. */
    public void put(Patch patch, LocalBuffer source) {
        patches.move(PatchTransfer.Operation.PUT, patch, local(patch, source), null);
    }

    /** Reads a patch. */
    public void get(Patch patch, LocalBuffer target) {
        patches.move(PatchTransfer.Operation.GET, patch, local(patch, target), null);
    }

    /** Adds {@code alpha} times the source to a patch, atomically for each element against other accumulates. */
    public void accumulate(Patch patch, LocalBuffer source, Scalar alpha) {
        patches.move(PatchTransfer.Operation.ACCUMULATE, patch, local(patch, source), alpha.toScale(name, type));
    }

    /** Starts to write a patch; the source may be changed after {@code handle.await()}. */
    public void nbPut(Handle handle, Patch patch, LocalBuffer source) {
        patches.start(PatchTransfer.Operation.PUT, handle, patch, local(patch, source), null);
    }

    /** Starts to read a patch; the target may be read after {@code handle.await()}. */
    public void nbGet(Handle handle, Patch patch, LocalBuffer target) {
        patches.start(PatchTransfer.Operation.GET, handle, patch, local(patch, target), null);
    }

    /** Starts to add {@code alpha} times the source; the source may be changed after {@code handle.await()}. */
    public void nbAccumulate(Handle handle, Patch patch, LocalBuffer source, Scalar alpha) {
        patches.start(PatchTransfer.Operation.ACCUMULATE, handle, patch, local(patch, source),
            alpha.toScale(name, type));
    }

    /** Writes a patch from dense doubles, two for each complex element. */
    public void put(Patch patch, double[] source) {
        put(patch, LocalBuffer.of(source));
    }

    /** Writes a patch from dense longs. */
    public void put(Patch patch, long[] source) {
        put(patch, LocalBuffer.of(source));
    }

    /** Writes a patch from dense floats, two for each complex element. */
    public void put(Patch patch, float[] source) {
        put(patch, LocalBuffer.of(source));
    }

    /** Writes a patch from dense ints. */
    public void put(Patch patch, int[] source) {
        put(patch, LocalBuffer.of(source));
    }

    /** Reads a patch into dense doubles, two for each complex element. */
    public void get(Patch patch, double[] target) {
        get(patch, LocalBuffer.of(target));
    }

    /** Reads a patch into dense longs. */
    public void get(Patch patch, long[] target) {
        get(patch, LocalBuffer.of(target));
    }

    /** Reads a patch into dense floats, two for each complex element. */
    public void get(Patch patch, float[] target) {
        get(patch, LocalBuffer.of(target));
    }

    /** Reads a patch into dense ints. */
    public void get(Patch patch, int[] target) {
        get(patch, LocalBuffer.of(target));
    }

    /** Adds {@code alpha} times dense doubles to a patch, two for each complex element. */
    public void accumulate(Patch patch, double[] source, double alpha) {
        accumulate(patch, LocalBuffer.of(source), Scalar.of(alpha));
    }

    /** Adds {@code alpha} times dense longs to a patch. */
    public void accumulate(Patch patch, long[] source, long alpha) {
        accumulate(patch, LocalBuffer.of(source), Scalar.of(alpha));
    }

    /** Adds {@code alpha} times dense floats to a patch, two for each complex element. */
    public void accumulate(Patch patch, float[] source, double alpha) {
        accumulate(patch, LocalBuffer.of(source), Scalar.of(alpha));
    }

    /** Adds {@code alpha} times dense ints to a patch. */
    public void accumulate(Patch patch, int[] source, long alpha) {
        accumulate(patch, LocalBuffer.of(source), Scalar.of(alpha));
    }

    /**
     * Writes single elements. Of several values for one element, an arbitrary one stays.
     *
     * @param source  one element for each index, dense
     * @param indices the indices one after the other, an entry for each dimension
     */
    public void scatter(LocalBuffer source, long... indices) {
        moveElements(PatchTransfer.Operation.PUT, source, indices, null);
    }

    /** Reads single elements; arguments as for {@link #scatter}. */
    public void gather(LocalBuffer target, long... indices) {
        moveElements(PatchTransfer.Operation.GET, target, indices, null);
    }

    /** Adds {@code alpha} times the source to single elements, all values for one element; else as {@link #scatter}. */
    public void scatterAccumulate(LocalBuffer source, Scalar alpha, long... indices) {
        moveElements(PatchTransfer.Operation.ACCUMULATE, source, indices, alpha.toScale(name, type));
    }

    private void moveElements(PatchTransfer.Operation operation, LocalBuffer local, long[] indices, Scale scale) {
        alive();
        int count = ArrayChecks.indices(name, layout.distribution(), indices);
        local.checkDense(name, type, count);
        elements.move(operation, local, local.offset(name, type), indices, scale);
    }

    /** Reads one element. */
    public Scalar get(long... index) {
        alive();
        return ElementAccess.get(memory, locate(index), offset(index), type);
    }

    /** Writes one element; the value is on its way when this returns, as after {@link #put}. */
    public void set(Scalar value, long... index) {
        alive();
        ElementAccess.put(memory, locate(index), offset(index), value.toScale(name, type));
    }

    /** Writes one element. */
    public void set(double value, long... index) {
        set(Scalar.of(value), index);
    }

    /** Writes one element. */
    public void set(long value, long... index) {
        set(Scalar.of(value), index);
    }

    /**
     * Adds to an element of type INT or LONG and returns what it was before, atomically against other increments:
     * {@code nxtval} when the array is a counter.
     *
     * @throws ArrayShapeException for other types, or an increment that an INT cannot hold
     */
    public long readIncrement(long delta, long... index) {
        alive();
        int rank = locate(index);
        return switch (type) {
            case LONG -> memory.fetchAndAdd(rank, offset(index), delta);
            case INT -> memory.fetchAndAddInt(rank, offset(index), (int) Scalar.of(delta).toScale(name, type).re());
            default -> throw new ArrayShapeException(name, "readIncrement needs elements of type INT or LONG, not "
                + type);
        };
    }

    private long offset(long... index) {
        return layout.offset(layout.distribution().ownerOf(index), index);
    }

    /** Sets all elements to a number. Collective. */
    public void fill(Scalar value) {
        Scale scale = value.toScale(name, type);
        barrier();
        Elementwise.fill(access(), scale);
        meet();
    }

    /** Sets all elements to a number. Collective. */
    public void fill(double value) {
        fill(Scalar.of(value));
    }

    /** Sets all elements to a number. Collective. */
    public void fill(long value) {
        fill(Scalar.of(value));
    }

    /** Sets all elements to 0. Collective. */
    public void zero() {
        fill(Scalar.ZERO);
    }

    /** Multiplies all elements by a number. Collective. */
    public void scale(Scalar factor) {
        Scale scale = factor.toScale(name, type);
        barrier();
        Elementwise.scale(access(), scale);
        meet();
    }

    /** Multiplies all elements by a number. Collective. */
    public void scale(double factor) {
        scale(Scalar.of(factor));
    }

    /**
     * Sets this array to {@code alpha a + beta b}; {@code a} and {@code b} have the same type and shape, their blocks
     * may differ, and either may be this array. Collective.
     */
    public void add(Scalar alpha, GlobalArray a, Scalar beta, GlobalArray b) {
        ArrayChecks.conforms(this, a.alive());
        ArrayChecks.conforms(this, b.alive());
        Scale alphaScale = alpha.toScale(name, type);
        Scale betaScale = beta.toScale(name, type);
        barrier();
        Elementwise.add(access(), alphaScale, a.operand(), betaScale, b.operand());
        meet();
    }

    /** Sets this array to {@code alpha a + beta b}; as with {@link Scalar}s. Collective. */
    public void add(double alpha, GlobalArray a, double beta, GlobalArray b) {
        add(Scalar.of(alpha), a, Scalar.of(beta), b);
    }

    /**
     * The sum of the products of all elements with those of an array of the same type and shape, the same on every
     * rank. Complex elements are not conjugated; integers are summed as 64-bit integers. Collective.
     */
    public Scalar dot(GlobalArray other) {
        ArrayChecks.conforms(this, other.alive());
        barrier();
        DotProduct sum = Elementwise.dot(type, access(), other.operand());
        // The reduction also keeps any rank from changing an operand that another still reads.
        if (type == ElementType.INT || type == ElementType.LONG) {
            return Scalar.of(group().allreduce(ReduceOp.SUM, sum.integer()));
        }
        double[] parts = {sum.re(), sum.im()};
        group().allreduce(ReduceOp.SUM, parts);
        return Scalar.of(parts[0], parts[1]);
    }

    /** Copies all elements to an array of the same type and shape, whatever its blocks. Collective. */
    public void copyTo(GlobalArray target) {
        ArrayChecks.conforms(target, alive());
        target.barrier();
        Block own = target.access();
        if (!own.patch().isEmpty()) {
            patches.move(PatchTransfer.Operation.GET, own.patch(),
                new PatchTransfer.Local(own.segment(), own.start(), own.strides()), null);
        }
        target.meet();
    }

    /**
     * Fills the ghost cells of every rank, corners included, from the elements they mirror. Ghost cells outside the
     * array keep what they hold, a boundary condition perhaps, except in periodic dimensions. Collective.
     */
    public void updateGhosts() {
        barrier();
        readGhosts();
        meet();
    }

    /**
     * Fills this rank's ghost cells as {@link #updateGhosts} does, but synchronizes nothing: the program sees to it
     * that no owner changes the elements meanwhile, with one {@code barrier()} an iteration when it alternates between
     * two arrays.
     */
    public void readGhosts() {
        ghosts.read(access());
    }

    /** The local memory of a transfer of this array, all arguments checked. */
    private PatchTransfer.Local local(Patch patch, LocalBuffer buffer) {
        alive();
        ArrayChecks.patch(name, layout.distribution(), patch);
        return new PatchTransfer.Local(buffer.memory(), buffer.offset(name, type), buffer.strides(name, type, patch));
    }

    /** This array as one that a computation reads. */
    Operand operand() {
        return new Operand(name, type, access(), this::get);
    }

    Gas gas() {
        return gas;
    }

    GlobalMemory memory() {
        return memory;
    }

    /** This array, unless it is closed. */
    GlobalArray alive() {
        if (closed) {
            throw new ArrayClosedException(name);
        }
        return this;
    }
}
