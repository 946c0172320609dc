package org.tributary.client.window;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Set;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.Internals;
import org.tributary.client.error.FirstFailure;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Shape;
import org.tributary.client.shape.Strided;
import org.tributary.client.window.RmaOperation.Kind;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * Memory of the members of a group that they access within epochs, as in MPI-2 and MPI-3: fence; post, start, complete
 * and wait; lock and unlock. An address is a rank (its number among all ranks) and a displacement in units of that
 * rank.
 *
 * <p>Operations do not wait: buffers must stay unchanged, results are there and effects are visible only after the
 * synchronization that ends the epoch, a flush, or for buffers and results the operation's {@link Request}.
 * Accumulates, get-accumulates, fetch-and-ops and compare-and-swaps are atomic by element against each other, and those
 * of one origin on one target happen in order; nothing else is ordered within an epoch.
 *
 * <pre>{@code
 * try (Window window = Window.allocate(gas, gas.world(), 1024, 8, WindowOptions.DEFAULT)) {
 *     window.fence(Assertion.NOPRECEDE);
 *     window.put(right, 0, buffer);
 *     window.fence(Assertion.NOSUCCEED);
 * }
 * }</pre>
 *
 * <p>Errors: {@link org.tributary.client.error.EpochException} for calls that the present epoch does not allow,
 * {@link InvalidAddressException} for displacements outside the window, both before anything is done;
 * {@link org.tributary.client.error.AccessConflictException} for an operation that overlaps one of this rank's latest
 * on the same part in a way that leaves the result undefined, and, where checks were asked for, any other of the epoch.
 * Messages say window, epoch, rank and displacement. An operation that fails later does not keep the epoch from ending,
 * here or at others: the call that ends it, or a later one, throws the first failure when all is done, with any others
 * suppressed in it. When a rank dies, waits end with {@link org.tributary.client.error.JobAbortedException}. One thread
 * at a time.
 */
public final class Window implements AutoCloseable {
    private static final int MAX_ELEMENT_LONGS = 2;

    private final Group group;
    private final String name;
    private final WindowTransport transport;
    private final Regions regions;
    private final Handle handle;
    private final Epochs epochs;
    private final GroupRanks members;
    private final FenceChooser chooser;
    private final FenceSync fences;
    private final ExposureSync exposures;
    private final LockSync locks;
    private final AccessCheck check;
    private final Requests requests;
    private final boolean checked;
    private final Runnable forgetLocks;
    private final RmaOperation operation = new RmaOperation();
    private boolean closed;

    private Window(Gas gas, Group group, WindowTransport transport, Regions regions, WindowOptions options,
        TestInputs given) {
        this.group = group;
        this.transport = transport;
        this.regions = regions;
        this.name = transport.name();
        this.handle = gas.deferredHandle(); // sources stay as they are until an epoch ends
        this.epochs = new Epochs(name, group.size());
        this.members = new GroupRanks(name, transport.id(), group, epochs);
        boolean auto = options.fence() == FenceDesign.AUTO || options.exposure() == EpochDesign.AUTO
            || options.lock() == EpochDesign.AUTO;
        CostModel model = given.model() != null || !auto ? given.model() : Calibration.of(gas, group);
        this.chooser = given.chooser() != null ? given.chooser()
            : options.fence() == FenceDesign.AUTO ? new AutoFence(model) : new FenceChooser.Fixed(options.fence());
        Handle prompt = gas.handle();
        this.fences = new FenceSync(group, transport, handle, prompt, chooser);
        this.exposures = new ExposureSync(group, transport, handle, prompt, options.exposure(),
            options.exposure() == EpochDesign.AUTO ? model : null);
        this.locks = new LockSync(group, transport, handle, prompt, options.lock(),
            options.lock() == EpochDesign.AUTO ? model : null);
        this.checked = options.checked();
        this.check = checked ? new ConflictCheck(name, gas, group) : new RecentAccesses(name, group);
        this.requests = new Requests(gas, epochs, members, locks, check, transport);
        this.forgetLocks = Internals.beforeGoodbye(gas, locks::leave);
    }

    private static Making<Window> making(Gas gas, Group group, WindowOptions options, TestInputs given) {
        return new Making<>(gas, group, options,
            (transport, regions) -> new Window(gas, group, transport, regions, options, given));
    }

    /**
     * Allocates memory and makes a window of it; collective over the group.
     *
     * @param bytes            of the own part; may differ between members and be 0
     * @param displacementUnit bytes of one unit of displacement in the own part
     * @throws org.tributary.client.error.OutOfSharedMemoryException on every member, when a node has not enough
     */
    public static Window allocate(Gas gas, Group group, long bytes, int displacementUnit, WindowOptions options) {
        return allocate(gas, group, bytes, displacementUnit, options, TestInputs.NOTHING);
    }

    /** As {@link #allocate(Gas, Group, long, int, WindowOptions)}, with decisions that are given. */
    static Window allocate(Gas gas, Group group, long bytes, int displacementUnit, WindowOptions options,
        TestInputs given) {
        GlobalMemory memory = gas.allocate(group, bytes);
        return making(gas, group, options, given).over(memory, true, 0, bytes, displacementUnit);
    }

    /** Makes a window of a range of the own part of existing memory; collective over the group. */
    public static Window create(Gas gas, Group group, GlobalMemory memory, long offset, long bytes,
        int displacementUnit, WindowOptions options) {
        return making(gas, group, options, TestInputs.NOTHING).over(memory, false, offset, bytes,
            displacementUnit);
    }

    /** Makes a window without memory, to which members attach some by themselves; collective over the group. */
    public static Window createDynamic(Gas gas, Group group, WindowOptions options) {
        return making(gas, group, options, TestInputs.NOTHING).dynamic();
    }

    /**
     * Attaches a range of this rank's part of some memory, of which every member that is to access it must have a part
     * too. Not collective.
     *
     * @return displacement of its first byte, in bytes, to be told to the others
     */
    public long attach(GlobalMemory memory, long offset, long bytes) {
        return dynamic().attach(memory, offset, bytes);
    }

    /** Detaches a range; nobody accesses it any more. Not collective. */
    public void detach(long displacement) {
        dynamic().detach(displacement);
    }

    private DynamicRegions dynamic() {
        if (regions instanceof DynamicRegions dynamic) {
            return dynamic;
        }
        throw epochs.refuse("attach and detach belong to windows of createDynamic;");
    }

    /**
     * Closes the window, and its memory if it was allocated with it; collective, but waits for no other member, as
     * {@link GlobalMemory#close}. Another close does nothing.
     *
     * @throws org.tributary.client.error.EpochException inside an epoch; the window stays open then
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        epochs.checkIdle();
        closed = true;
        forgetLocks.run();
        FirstFailure failures = new FirstFailure();
        failures.attempt(check::close);
        failures.attempt(regions::close);
        failures.attempt(transport::close);
        failures.rethrow();
    }

    /** How messages name the window. */
    public String name() {
        return name;
    }

    /** The group over which the window was made. */
    public Group group() {
        return group;
    }

    /** This rank's own part, for direct access between epochs; dynamic windows have none by themselves. */
    public MemorySegment local() {
        if (regions instanceof DynamicRegions) {
            throw epochs.refuse("local belongs to windows of allocate and create;");
        }
        int self = group.rank();
        regions.resolve(self, 0, 0, 0);
        return regions.memory().shared(group.worldRank(self)).asSlice(regions.offset(), regions.bytes(self));
    }

    /** Bytes of a rank's part. */
    public long bytes(int rank) {
        return regions.bytes(members.of(rank));
    }

    /** Bytes of one unit of displacement in a rank's part. */
    public int displacementUnit(int rank) {
        return regions.unit(members.of(rank));
    }

    /** The latest choice for fences, with its reason; null when the design is fixed. */
    public Choice fenceChoice() {
        return chooser.choice();
    }

    /** The choice for the latest access epoch begun by start, with its reason; null when the design is fixed. */
    public Choice exposureChoice() {
        return exposures.choice();
    }

    /** The choice for the lock released last, with its reason; null when the design is fixed. */
    public Choice lockChoice() {
        return locks.choice();
    }

    /** Checks and finds the target; what is resolved is in {@link #regions}. */
    private int target(int rank, long displacement, long low, long high) {
        int member = members.of(rank);
        if (closed) {
            throw epochs.refuse("operation on a closed window");
        }
        epochs.operation(member, rank, displacement);
        try {
            regions.resolve(member, displacement, low, high);
        } catch (InvalidAddressException e) {
            throw e.during(epochs.describe());
        }
        return member;
    }

    private Request newRequest(int rank, long displacement) {
        return new Request(requests, rank, requests.begin(rank, displacement));
    }

    /** The short way to a part of this node that is locked: nothing is queued, counted or checked. */
    private boolean isPlainCopy(int member) {
        return !checked && locks.holdsHere(member);
    }

    private void issue(int member, long displacement) {
        try {
            if (operation.length() == 0) { // no message would carry its completion
                operation.check();
            } else {
                dispatch(member, displacement);
            }
        } catch (InvalidAddressException e) {
            throw inContext(e, displacement);
        }
        operation.release();
    }

    private void dispatch(int member, long displacement) {
        if (!checked && locks.holdsHere(member)) { // there they take effect in the order of their issue
            dispatch(member, epochs.access());
            return;
        }
        Epochs.Access access = epochs.access();
        operation.check(); // whatever is wrong with it otherwise comes first
        check.operation(operation, member, displacement, access,
            access != Epochs.Access.START || exposures.isPosted(member));
        try {
            dispatch(member, access);
        } catch (RuntimeException e) {
            check.withdraw(operation, member); // the program may make it once more
            throw e;
        }
    }

    private void dispatch(int member, Epochs.Access access) {
        switch (access) {
            case FENCE -> fences.operation(operation, member);
            case START -> exposures.operation(operation, member);
            default -> locks.operation(operation, member);
        }
        epochs.noteOperation();
    }

    /** Where the program called what can never be executed; what failed earlier and is told now is left as it is. */
    private InvalidAddressException inContext(InvalidAddressException failure, long displacement) {
        try {
            operation.check();
            return failure;
        } catch (InvalidAddressException e) {
            return e.during(name + ", displacement " + displacement + ", " + epochs.describe());
        }
    }

    /** Puts a whole buffer. */
    public void put(int rank, long displacement, MemorySegment source) {
        put(rank, displacement, source, 0, source.byteSize());
    }

    /** Puts {@code length} bytes. */
    public void put(int rank, long displacement, MemorySegment source, long sourceOffset, long length) {
        transfer(Kind.PUT, null, rank, displacement, source, sourceOffset, length, null);
    }

    /** Puts {@code length} bytes, to be waited for by itself. */
    public Request requestPut(int rank, long displacement, MemorySegment source, long sourceOffset, long length) {
        Request request = newRequest(rank, displacement);
        transfer(Kind.PUT, request.handle(), rank, displacement, source, sourceOffset, length, null);
        return request;
    }

    /** Puts, gets or accumulates; {@code own} is the handle of a request, or null. */
    private void transfer(Kind kind, Handle own, int rank, long displacement, MemorySegment buffer, long bufferOffset,
        long length, Scale scale) {
        int member = target(rank, displacement, 0, length);
        if (kind == Kind.PUT && isPlainCopy(member)) {
            regions.memory().update(null, rank, regions.offset(), buffer, bufferOffset, length, null, null);
        } else if (kind == Kind.GET && isPlainCopy(member)) {
            regions.memory().fetch(null, rank, regions.offset(), buffer, bufferOffset, length, null);
        } else {
            operation.begin(kind, regions.memory(), rank, regions.offset(), buffer, bufferOffset, length, scale)
                .withHandle(own);
            issue(member, displacement);
        }
    }

    /** Gets into a whole buffer. */
    public void get(int rank, long displacement, MemorySegment target) {
        get(rank, displacement, target, 0, target.byteSize());
    }

    /** Gets {@code length} bytes. */
    public void get(int rank, long displacement, MemorySegment target, long targetOffset, long length) {
        transfer(Kind.GET, null, rank, displacement, target, targetOffset, length, null);
    }

    /** Gets {@code length} bytes, to be waited for by itself. */
    public Request requestGet(int rank, long displacement, MemorySegment target, long targetOffset, long length) {
        Request request = newRequest(rank, displacement);
        transfer(Kind.GET, request.handle(), rank, displacement, target, targetOffset, length, null);
        return request;
    }

    /** Combines {@code length} bytes of whole elements with what is there. */
    public void accumulate(int rank, long displacement, ReduceOp op, ElementType type, MemorySegment source,
        long sourceOffset, long length) {
        transfer(Kind.ACCUMULATE, null, rank, displacement, source, sourceOffset, length, Scale.of(op, type));
    }

    /** Combines {@code length} bytes of whole elements with what is there, to be waited for by itself. */
    public Request requestAccumulate(int rank, long displacement, ReduceOp op, ElementType type, MemorySegment source,
        long sourceOffset, long length) {
        Request request = newRequest(rank, displacement);
        transfer(Kind.ACCUMULATE, request.handle(), rank, displacement, source, sourceOffset, length,
            Scale.of(op, type));
        return request;
    }

    /** Combines elements with what is there, and gets what was there before. */
    public void getAccumulate(int rank, long displacement, ReduceOp op, ElementType type, MemorySegment source,
        long sourceOffset, MemorySegment result, long resultOffset, long length) {
        getAccumulate(null, rank, displacement, op, type, source, sourceOffset, result, resultOffset, length);
    }

    /** As {@link #getAccumulate}, to be waited for by itself. */
    public Request requestGetAccumulate(int rank, long displacement, ReduceOp op, ElementType type,
        MemorySegment source, long sourceOffset, MemorySegment result, long resultOffset, long length) {
        Request request = newRequest(rank, displacement);
        getAccumulate(request.handle(), rank, displacement, op, type, source, sourceOffset, result, resultOffset,
            length);
        return request;
    }

    private void getAccumulate(Handle own, int rank, long displacement, ReduceOp op, ElementType type,
        MemorySegment source, long sourceOffset, MemorySegment result, long resultOffset, long length) {
        int member = target(rank, displacement, 0, length);
        operation.begin(Kind.GET_ACCUMULATE, regions.memory(), rank, regions.offset(), source, sourceOffset, length,
            Scale.of(op, type)).returning(result, resultOffset).withHandle(own);
        issue(member, displacement);
    }

    /** Combines one element with what is there, and gets what was there before. */
    public void fetchAndOp(int rank, long displacement, ReduceOp op, ElementType type, MemorySegment operand,
        MemorySegment result) {
        getAccumulate(rank, displacement, op, type, operand, 0, result, 0, type.sizeInBytes());
    }

    /** Replaces one element if it equals the expected one bit for bit; gets what was there before. */
    public void compareAndSwap(int rank, long displacement, ElementType type, MemorySegment expected,
        MemorySegment replacement, MemorySegment result) {
        int bytes = type.sizeInBytes();
        int member = target(rank, displacement, 0, bytes);
        MemorySegment both = MemorySegment.ofArray(new long[2 * MAX_ELEMENT_LONGS]);
        MemorySegment.copy(expected, 0, both, 0, bytes);
        MemorySegment.copy(replacement, 0, both, bytes, bytes);
        operation.begin(Kind.COMPARE_AND_SWAP, regions.memory(), rank, regions.offset(), both, 0, bytes,
            Scale.of(ReduceOp.REPLACE, type)).returning(result, 0);
        issue(member, displacement);
    }

    /** Puts a strided region, whose first block goes to the displacement. */
    public void putStrided(int rank, long displacement, MemorySegment source, long sourceOffset, Strided shape) {
        shaped(Kind.PUT, rank, displacement, source, sourceOffset, shape, null);
    }

    private void shaped(Kind kind, int rank, long displacement, MemorySegment buffer, long bufferOffset, Shape shape,
        Scale scale) {
        int member = target(rank, displacement, Math.min(0, shape.remoteLow()), shape.remoteHigh());
        operation.begin(kind, regions.memory(), rank, regions.offset(), buffer, bufferOffset, 0, scale)
            .shaped(shape instanceof Ranges ranges ? ranges.movedRemotely(regions.offset()) : shape);
        issue(member, displacement);
    }

    /** Gets a strided region. */
    public void getStrided(int rank, long displacement, MemorySegment target, long targetOffset, Strided shape) {
        shaped(Kind.GET, rank, displacement, target, targetOffset, shape, null);
    }

    /** Combines a strided region with what is there. */
    public void accumulateStrided(int rank, long displacement, ReduceOp op, ElementType type, MemorySegment source,
        long sourceOffset, Strided shape) {
        shaped(Kind.ACCUMULATE, rank, displacement, source, sourceOffset, shape, Scale.of(op, type));
    }

    /** Puts ranges; their remote offsets are in bytes from the displacement. */
    public void putVector(int rank, long displacement, MemorySegment source, Ranges ranges) {
        shaped(Kind.PUT, rank, displacement, source, 0, ranges, null);
    }

    /** Gets ranges; their remote offsets are in bytes from the displacement. */
    public void getVector(int rank, long displacement, MemorySegment target, Ranges ranges) {
        shaped(Kind.GET, rank, displacement, target, 0, ranges, null);
    }

    /** Combines ranges with what is there; their remote offsets are in bytes from the displacement. */
    public void accumulateVector(int rank, long displacement, ReduceOp op, ElementType type, MemorySegment source,
        Ranges ranges) {
        shaped(Kind.ACCUMULATE, rank, displacement, source, 0, ranges, Scale.of(op, type));
    }

    /** Ends the fence epoch and begins the next one; collective. See {@link FenceDesign}. */
    public void fence(Assertion... assertions) {
        Set<Assertion> set = Epochs.set(assertions);
        epochs.fence(set);
        try {
            fences.fence(set);
        } finally {
            check.fenced();
            regions.forget();
        }
    }

    /** Exposes the own part to the access epochs that those ranks begin with {@link #start}. Does not wait. */
    public void post(int[] origins, Assertion... assertions) {
        int[] named = members.all("post", origins);
        epochs.post();
        check.posts();
        exposures.post(named, Epochs.set(assertions));
    }

    /** Begins an access epoch to ranks that expose their parts with {@link #post}. */
    public void start(int[] ranks, Assertion... assertions) {
        int[] named = members.all("start", ranks);
        epochs.start(named);
        exposures.start(named, Epochs.set(assertions));
        regions.forget();
    }

    /** Ends the access epoch: its operations are complete here, not necessarily at their targets. */
    public void complete() {
        epochs.complete();
        FirstFailure failures = new FirstFailure();
        if (check.hasQueued()) {
            failures.attempt(() -> {
                exposures.awaitPosts();
                failures.note(check.looksAtQueued());
            });
        }
        failures.attempt(exposures::complete);
        check.completed();
        failures.rethrow();
    }

    /** Ends the exposure epoch: waits until all its origins have called {@link #complete}. */
    public void await() {
        epochs.checkPosted("await");
        exposures.await();
        epochs.exposureEnded();
    }

    /** Ends the exposure epoch if all its origins have called {@link #complete}; does not wait. */
    public boolean test() {
        epochs.checkPosted("test");
        boolean ended = exposures.test();
        if (ended) {
            epochs.exposureEnded();
        }
        return ended;
    }

    /**
     * Begins an access epoch to one rank's part, together with other shared locks or alone ({@code EXCLUSIVE}). Locks
     * of several parts of the window are taken in the order of these calls, in every design, so ranks that lock in the
     * same order do not wait for each other in a circle.
     *
     * @throws WaitInterruptedException when the calling thread is interrupted while it waits for the lock: there is no
     *                                  epoch then. Calls that take the lock later, as {@link #unlock} may, throw it
     *                                  too, but not always. An operation that throws it will not be executed
     */
    public void lock(LockMode mode, int rank, Assertion... assertions) {
        if (mode != LockMode.SHARED && mode != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("no lock mode: " + mode);
        }
        int member = members.of(rank);
        epochs.lock(member, rank);
        boolean unchecked = Assertion.NOCHECK.isIn(assertions);
        try {
            locks.lock(mode, member, unchecked);
        } catch (RuntimeException e) {
            epochs.unlock(member, rank);
            throw e;
        }
        check.locked(member, mode == LockMode.EXCLUSIVE && !unchecked);
        regions.forget();
    }

    /**
     * Ends the access epoch to a rank's part: its operations are complete here and there.
     *
     * @throws WaitInterruptedException when the calling thread is interrupted while it waits for the lock: the epoch
     *                                  has ended, and what waited for the lock will not be executed. No interrupt ends
     *                                  the wait for a single short operation that is sent with the request for the lock
     */
    public void unlock(int rank) {
        int member = members.of(rank);
        epochs.unlock(member, rank);
        try {
            check.flushes(member);
        } finally {
            locks.unlock(member);
        }
    }

    /** Begins an access epoch to all parts, with shared locks. */
    public void lockAll(Assertion... assertions) {
        epochs.lockAll();
        check.locked(AccessCheck.ALL, false);
        locks.lockAll(Assertion.NOCHECK.isIn(assertions));
        regions.forget();
    }

    /** Ends the access epoch to all parts. May throw what {@link #unlock} does, if any part's lock was waited for. */
    public void unlockAll() {
        epochs.unlockAll();
        try {
            check.flushes(AccessCheck.ALL);
        } finally {
            locks.unlockAll();
        }
    }

    /** Waits until the operations on a locked part are complete here and there. */
    public void flush(int rank) {
        int member = members.of(rank);
        epochs.checkLocked(member, rank, "flush");
        check.flushes(member);
        locks.flush(member);
    }

    /** Waits until the operations on all locked parts are complete here and there. */
    public void flushAll() {
        epochs.checkPassive("flushAll");
        check.flushes(AccessCheck.ALL);
        locks.flushAll();
    }

    /** Waits until the buffers of the operations on a locked part may be used again. */
    public void flushLocal(int rank) {
        int member = members.of(rank);
        epochs.checkLocked(member, rank, "flushLocal");
        locks.flushLocal(member);
        check.getsDone(member);
    }

    /** Waits until the buffers of the operations on all locked parts may be used again. */
    public void flushLocalAll() {
        epochs.checkPassive("flushLocalAll");
        locks.flushLocalAll();
        check.getsDone(AccessCheck.ALL);
    }

    /** Orders direct accesses to the own part with what others have done and will do. */
    public void sync() {
        VarHandle.fullFence();
    }
}
