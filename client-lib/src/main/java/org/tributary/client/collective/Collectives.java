package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;
import org.tributary.client.error.JobAbortedException;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.Reducer;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.LatencySample;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.Purpose;

/**
 * One member's collectives over one group. All members call the same ones in the same order with the same roots,
 * operations, types and sizes; n below is the number of members. Every collective synchronizes: it returns on no
 * member before it has been called on all. Buffers must not overlap unless it says so, and may be heap or native.
 *
 * <p>All but {@link #allToAll} of blocks of more than 12 KiB / log2 n, which are sent directly to every member, take
 * O(log n) steps, through shared memory within a node and, but for all-to-all, between nodes by one member of each.
 * Floating-point results are combined in an order that depends on the group, the nodes and the size alone, so they
 * repeat from run to run, and {@link #allreduce} gives all members the same bits (of NaNs, only that they are NaN).
 *
 * <p>Arguments are checked before anything is sent: an {@link IllegalArgumentException} leaves this usable, if all
 * members got it. Whatever {@link Inboxes} throws leaves the group unusable. When members do not make the same calls,
 * none of them returns: within a second or so the job ends with a message that names two calls that differ.
 *
 * <p>Not thread-safe: called by one thread at a time, which assertions check. Temporary buffers stay for reuse; the
 * largest hold n blocks of {@link #allToAll} twice, of {@link #reduceScatter} twice and of {@link #allgather} once.
 */
public final class Collectives {
    private static final int NO_ROOT = -1;
    private static final int TYPES = ElementType.values().length;
    private final Inboxes inboxes;
    private final int self;
    private final int size;
    private final Call call;
    private final LatencySample barriers;
    private final LatencySample others;
    /** Null unless collectives are recorded. */
    private final Recording recording;
    private final Transfers transfers;
    private final Tuning tuning;
    private final Team nodes;
    private final Team members;
    private final AllToAll allToAll;
    private final Reduction[] reductions;
    private final Scratch vector = new Scratch();
    private final Scratch reordered = new Scratch();
    private Thread caller;

    /**
     * Collectives over inboxes of that layout, all of them zero at first.
     *
     * @throws IllegalArgumentException when the own inbox is smaller than its layout, or was laid out for a smaller
     *                                  group
     */
    public Collectives(CollectiveLayout layout, Inboxes inboxes) {
        this(layout, inboxes, Tuning.DEFAULT);
    }

    Collectives(CollectiveLayout layout, Inboxes inboxes, Tuning tuning) {
        this.inboxes = inboxes;
        this.tuning = tuning;
        self = inboxes.self();
        size = inboxes.size();
        int needed = CollectiveLayout.rounds(size);
        if (layout.rounds() < needed || inboxes.own().byteSize() < layout.bytes()) {
            throw new IllegalArgumentException("inbox of " + layout.rounds() + " rounds, " + layout.bytes()
                + " bytes, in memory of " + inboxes.own().byteSize() + " bytes: a group of " + size + " needs " + needed
                + " rounds, and the memory to hold them");
        }
        call = new Call(inboxes.own().asSlice(layout.callOffset(), CallLayout.BYTES));
        Latencies latencies = inboxes.latencies();
        barriers = new LatencySample(latencies, LatencyKind.BARRIER);
        others = new LatencySample(latencies, LatencyKind.COLLECTIVE);
        transfers = new Transfers(layout, inboxes, call);
        MemorySegment staging = new Scratch().atLeast(layout.chunkBytes());
        Hierarchy hierarchy = new Hierarchy(size, inboxes::nodeOf);
        nodes = new Team(hierarchy, transfers, self, staging);
        recording = inboxes.trace() == null ? null : new Recording(inboxes, hierarchy.nodes() == 1);
        members = hierarchy.nodes() == size ? nodes : new Team(Hierarchy.flat(size), transfers, self, staging);
        allToAll = new AllToAll(nodes, transfers, self, layout.rounds());
        Reducer reducer = new Reducer();
        reductions = new Reduction[ReduceOp.values().length * TYPES];
        for (ReduceOp op : ReduceOp.values()) {
            for (ElementType type : ElementType.values()) {
                reductions[indexOf(op, type)] = Reduction.defined(op, type)
                    ? new Reduction(op, type, reducer) : null;
            }
        }
    }

    /** This member's number in the group. */
    public int self() {
        return self;
    }

    /**
     * From now on collectives are steps of something that users have called, the same on all members, until {@link
     * #itself}.
     *
     * @param subject what it is about, or 0
     * @param text    more of that, empty or the same on all members as well
     */
    public void during(Purpose purpose, long subject, String text) {
        call.during(purpose, subject, text);
    }

    /** From now on collectives are what they are. */
    public void itself() {
        call.itself();
    }

    /** This member has closed memory of the group; the next call says so, to be compared with those of the others. */
    public void closed(long segment) {
        call.closed(segment);
    }

    /**
     * This member takes no more steps of what is {@linkplain #during called}: members that wait for it in the next one
     * find that out. Allocates nothing. Nothing happens while another thread is in a collective, by mistake.
     */
    public void giveUp() {
        if (caller == null && !call.isGivenUp()) {
            call.set(CallLayout.BARRIER, null, NO_ROOT, 0);
            transfers.begin(0);
            call.giveUp();
        }
    }

    /** This member calls nothing more. */
    public void close() {
        if (recording != null) {
            recording.close();
        }
    }

    /** Returns when all members have called this. */
    public void barrier() {
        run(CallLayout.BARRIER, NO_ROOT, null, null, null, 0);
    }

    /** Copies the root's buffer, of the same size everywhere, into that of every member. */
    public void broadcast(int root, MemorySegment buffer) {
        checkRoot(root);
        if (self != root) {
            checkWritable(buffer);
        }
        run(CallLayout.BROADCAST, root, null, null, buffer, buffer.byteSize());
    }

    /**
     * Combines the vectors of all members at the root.
     *
     * @param send    whole elements, as many on every member
     * @param receive as many bytes, or the same segment as {@code send}; used at the root only
     */
    public void reduce(int root, ReduceOp op, ElementType type, MemorySegment send, MemorySegment receive) {
        checkRoot(root);
        Reduction reduction = reduction(op, type, send);
        if (self == root) {
            checkSize(receive, send.byteSize(), 1);
        }
        run(CallLayout.REDUCE, root, reduction, send, receive, send.byteSize());
    }

    /**
     * Combines the vectors of all members on every one, with the same bits everywhere.
     *
     * @param send    whole elements, as many on every member
     * @param receive as many bytes, or the same segment as {@code send}
     */
    public void allreduce(ReduceOp op, ElementType type, MemorySegment send, MemorySegment receive) {
        Reduction reduction = reduction(op, type, send);
        checkSize(receive, send.byteSize(), 1);
        run(CallLayout.ALLREDUCE, NO_ROOT, reduction, send, receive, send.byteSize());
    }

    /**
     * Combines the vectors of all members, each of which gets one block of the result.
     *
     * @param send    n blocks, the i-th for member i
     * @param receive one block of whole elements, of the same size on every member
     */
    public void reduceScatter(ReduceOp op, ElementType type, MemorySegment send, MemorySegment receive) {
        Reduction reduction = reduction(op, type, receive);
        long block = receive.byteSize();
        checkSize(receive, block, 1);
        checkBlocks(send, block);
        run(CallLayout.REDUCE_SCATTER, NO_ROOT, reduction, send, receive, block);
    }

    /**
     * Concatenates the blocks of all members on every one.
     *
     * @param send    one block, of the same size on every member
     * @param receive n blocks, the i-th from member i
     */
    public void allgather(MemorySegment send, MemorySegment receive) {
        checkSize(receive, send.byteSize(), size);
        run(CallLayout.ALLGATHER, NO_ROOT, null, send, receive, send.byteSize());
    }

    /**
     * Sends every member a block of its own.
     *
     * @param send    n equal blocks, the i-th for member i
     * @param receive n equal blocks, the i-th from member i
     */
    public void allToAll(MemorySegment send, MemorySegment receive) {
        long block = send.byteSize() / size;
        checkBlocks(send, block);
        checkSize(receive, block, size);
        run(CallLayout.ALL_TO_ALL, NO_ROOT, null, send, receive, block);
    }

    /** A collective whose arguments are checked; {@code bytes}: of the vector, or of one block. */
    private void run(int kind, int root, Reduction reduction, MemorySegment send, MemorySegment receive, long bytes) {
        LatencySample latency = kind == CallLayout.BARRIER ? barriers : others;
        long began = latency.begin();
        long recorded = recording == null ? 0 : recording.begin(began, bytes);
        inboxes.begin();
        try {
            runInside(kind, root, reduction, send, receive, bytes);
            inboxes.returned();
        } finally {
            inboxes.end();
        }
        long ended = latency.ended(began);
        if (recording != null) {
            recording.ended(kind, recorded, ended, root, bytes, call.number());
        }
    }

    private void runInside(int kind, int root, Reduction reduction, MemorySegment send, MemorySegment receive,
        long bytes) {
        assert enter();
        try {
            call.set(kind, reduction, root, bytes);
            switch (kind) {
                case CallLayout.BARRIER -> {
                    transfers.begin(0);
                    nodes.barrier();
                }
                case CallLayout.BROADCAST -> {
                    transfers.begin(bytes);
                    Tree tree = nodes.tree(root);
                    tree.arrive();
                    tree.broadcast(receive, bytes);
                }
                case CallLayout.REDUCE -> {
                    transfers.begin(bytes);
                    Tree tree = nodes.tree(root);
                    tree.reduce(reduction, send, receive, bytes);
                    tree.depart();
                }
                case CallLayout.ALLREDUCE ->
                    begin(bytes).allreduce(reduction, send, receive, bytes, bytes >= tuning.longVectorBytes());
                case CallLayout.REDUCE_SCATTER ->
                    begin(send.byteSize()).reduceScatter(reduction, send, receive, bytes, vector, reordered);
                case CallLayout.ALLGATHER -> begin(receive.byteSize()).allgather(send, receive, bytes, vector);
                default -> exchange(send, receive, bytes);
            }
        } catch (JobAbortedException e) {
            throw e; // the others know better why
        } catch (RuntimeException | Error e) {
            call.giveUp();
            throw e;
        } finally {
            assert leave();
        }
    }

    private void exchange(MemorySegment send, MemorySegment receive, long block) {
        if (block * Math.max(1, Hierarchy.log2(size)) <= tuning.smallBlockBytes()) {
            allToAll.byRelay(send, receive, block);
        } else {
            allToAll.direct(send, receive, block);
        }
    }

    /** Where all share one node, all members work on a long vector side by side, as if each were a node. */
    private Team begin(long bytes) {
        transfers.begin(bytes);
        return nodes.hierarchy().nodes() == 1 && bytes >= tuning.longVectorBytes() ? members : nodes;
    }

    private static int indexOf(ReduceOp op, ElementType type) {
        return op.ordinal() * TYPES + type.ordinal();
    }

    private Reduction reduction(ReduceOp op, ElementType type, MemorySegment elements) {
        if (elements.byteSize() % type.sizeInBytes() != 0) {
            throw new IllegalArgumentException("buffer of " + elements.byteSize() + " bytes: no whole number of "
                + type + " elements of " + type.sizeInBytes() + " bytes");
        }
        Reduction.checkDefined(op, type);
        return reductions[indexOf(op, type)];
    }

    private void checkRoot(int root) {
        if (root < 0 || root >= size) {
            throw new IllegalArgumentException("root " + root + ": a group of " + size + " has members 0 to "
                + (size - 1));
        }
    }

    private static void checkWritable(MemorySegment receive) {
        if (receive.isReadOnly()) {
            throw new IllegalArgumentException("receive buffer of " + receive.byteSize() + " bytes is read-only");
        }
    }

    private void checkSize(MemorySegment receive, long blockBytes, int blocks) {
        checkWritable(receive);
        if (receive.byteSize() != blockBytes * blocks) {
            throw new IllegalArgumentException("receive buffer of " + receive.byteSize() + " bytes, needs "
                + blockBytes * blocks + " bytes: " + blocks + " times " + blockBytes + " bytes");
        }
    }

    private void checkBlocks(MemorySegment send, long blockBytes) {
        if (send.byteSize() != blockBytes * size) {
            throw new IllegalArgumentException("send buffer of " + send.byteSize() + " bytes, needs "
                + blockBytes * size + " bytes: " + size + " equal blocks, one for each member, of " + blockBytes
                + " bytes");
        }
    }

    /** Notes the calling thread; a race may hide a misuse, but never makes one up. */
    private boolean enter() {
        Thread other = caller;
        if (other != null) {
            throw new AssertionError(Thread.currentThread() + " calls a collective of member " + self + " while "
                + other + " is in one: collectives of a group are called by one thread at a time");
        }
        caller = Thread.currentThread();
        return true;
    }

    private boolean leave() {
        caller = null;
        return true;
    }
}
