package org.tributary.client.window;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.Internals;
import org.tributary.client.connection.Contended;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.FirstFailure;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.link.Links;
import org.tributary.client.node.Cause;
import org.tributary.client.node.LocalNode;
import org.tributary.client.remote.Handle;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.client.segment.SegmentAccess;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.LatencySample;
import org.tributary.wire.shm.SharedWord;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.shm.WindowLock;

/**
 * The primitives of an RMA window's synchronization: operations with a completion, counts, flags and locks, each
 * directly in shared memory towards ranks of the same node and as one message towards others. Ranks are numbers among
 * all ranks. One thread at a time.
 */
final class WindowTransport {
    private final RemoteAccess access;
    private final Gas gas;
    private final Group group;
    private final GlobalMemory control;
    private final SegmentAccess words;
    private final Links links;
    private final LocalNode node;
    private final MemorySegment own;
    private final FenceCause fenced;
    private final FenceCause ready;
    private final Cause completed;
    private final Cause posted;
    private final Set<Handle> requested = new HashSet<>();
    private final FirstFailure failures = new FirstFailure();
    private boolean answersAwaited;
    private boolean othersReached;
    /** When the first of the operations that travel with their locks, and have not been waited for, was sent, or 0. */
    private long lockedSinceNs;

    /** A wait for all members to come to a step of their fences. */
    private static final class FenceCause implements Cause {
        private final WaitKind kind;
        private final long segment;
        private long step;

        FenceCause(WaitKind kind, long segment) {
            this.kind = kind;
            this.segment = segment;
        }

        @Override
        public WaitKind kind() {
            return kind;
        }

        @Override
        public long segment() {
            return segment;
        }

        @Override
        public long number(long offset) {
            return step;
        }
    }

    private WindowTransport(Gas gas, Group group, GlobalMemory control) {
        this.access = Internals.access(gas);
        this.gas = gas;
        this.group = group;
        this.control = control;
        this.words = Internals.access(control);
        this.links = access.links();
        this.node = access.node();
        this.own = words.part(access.rank());
        this.fenced = new FenceCause(WaitKind.WINDOW_FENCE, control.id());
        this.ready = new FenceCause(WaitKind.WINDOW_READY, control.id());
        this.completed = Cause.of(WaitKind.WINDOW_COMPLETE, control.id());
        this.posted = Cause.of(WaitKind.WINDOW_POST, control.id());
    }

    /**
     * Makes the control words of a new window; collective over the group.
     *
     * @param what members must agree about
     */
    static WindowTransport create(Gas gas, Group group, String what) {
        return new WindowTransport(gas, group,
            Internals.allocateWindow(gas, group, WindowLayout.bytes(group.size()), what));
    }

    /** Closes the control words; collective over the group. */
    void close() {
        control.close();
    }

    /** The window's number, the same on all members. */
    long id() {
        return control.id();
    }

    /** How messages name the window. */
    String name() {
        return "window " + Long.toHexString(id());
    }

    /** Whether a rank is on this node, so that nothing towards it takes a message. */
    boolean isLocal(int rank) {
        return node.isLocal(rank);
    }

    /**
     * Issues an operation; small ones may wait in a buffer until {@link #flush()}.
     *
     * @param then   a {@code THEN_} code of {@link Frames} for what the target does once it has been executed, or 0
     * @param handle completes when the answer has come, if one comes
     * @return whether a completion will be executed for it: false when it joined others in a message that has one
     */
    boolean issue(RmaOperation operation, int then, Handle handle) {
        Handle waited = operation.handle != null ? operation.handle : handle;
        if (node.isLocal(operation.rank)) {
            operation.dispatch(waited);
            if (then != 0) {
                complete(operation.rank, then);
            }
            return true;
        }
        othersReached = true;
        if (operation.handle != null) {
            requested.add(operation.handle);
        }
        answersAwaited |= operation.returnsData() || !operation.joinsOthers(); // large payload may leave later
        if (then == 0) {
            operation.dispatch(waited);
            return false;
        }
        links.lock().lock();
        try {
            ServerLink link = linkTo(operation.rank);
            if (operation.isOneMessage(link.maxPayload())) {
                return issueCarrying(operation, then, waited, link);
            }
            operation.dispatch(waited);
            sendCompletion(link, operation.rank, then);
            return true;
        } finally {
            links.lock().unlock();
        }
    }

    /**
     * Issues an operation whose end the fence count of its target tells: the server counts it when it has executed the
     * message, or each write of the network adapter when it has arrived.
     *
     * @param handle completes when the answer has come, if one comes, or when the writes are in their place
     * @return by how much the count grows
     */
    int issueCounted(RmaOperation operation, Handle handle) {
        if (!node.isLocal(operation.rank)) {
            int counted = operation.dispatchCounted(operation.handle != null ? operation.handle : handle, id());
            if (counted > 0) {
                othersReached = true;
                answersAwaited = true;
                if (operation.handle != null) {
                    requested.add(operation.handle);
                }
                return counted;
            }
        }
        return issue(operation, Frames.THEN_COUNT_FENCE, handle) ? 1 : 0;
    }

    private boolean issueCarrying(RmaOperation operation, int then, Handle handle, ServerLink link) {
        long before = link.requests();
        link.writer().setCompletion(then, control.id());
        try {
            operation.dispatch(handle);
        } finally {
            link.writer().setCompletion(0, Frames.NO_WINDOW);
        }
        if ((then & Frames.FLAG_ACK) != 0) {
            link.ackWanted();
        }
        return link.requests() > before;
    }

    private ServerLink linkTo(int rank) {
        return links.connectTo(access.topology().nodeOf(rank));
    }

    /** A completion that no operation carries: a count, or the release of a lock. */
    void complete(int rank, int then) {
        switch (then & Frames.THEN_MASK) {
            case Frames.THEN_COUNT_FENCE -> signal(rank, WindowLayout.FENCE_COUNT);
            case Frames.THEN_COUNT_EXPOSURE -> signal(rank, WindowLayout.ends(Frames.member(then)));
            case Frames.THEN_UNLOCK_SHARED -> release(rank, LockMode.SHARED, false);
            case Frames.THEN_UNLOCK_EXCLUSIVE -> release(rank, LockMode.EXCLUSIVE, false);
            default -> throw new IllegalArgumentException("completion " + then);
        }
    }

    private void sendCompletion(ServerLink link, int rank, int then) {
        // Ranges that are still open in a vector message carry it with them.
        try {
            if (!link.writer().completeVector(rank, then, control.id())) {
                complete(rank, then);
            } else if ((then & Frames.FLAG_ACK) != 0) {
                link.ackWanted();
            }
        } catch (RuntimeException e) {
            throw link.brokeHalfway(e);
        }
    }

    /** Lets the completion ride on the message that is still open for a rank; sends it alone if none is. */
    void completeLast(int rank, int then) {
        if (node.isLocal(rank)) {
            complete(rank, then);
            return;
        }
        links.lock().lock();
        try {
            sendCompletion(linkTo(rank), rank, then);
        } finally {
            links.lock().unlock();
        }
    }

    /** Tells a rank that this one is ready for the next epoch. */
    void signalReady(int rank) {
        signal(rank, WindowLayout.READY_COUNT);
    }

    /** Tells a rank that this one has exposed its part to it. */
    void signalPost(int rank) {
        signal(rank, WindowLayout.posts(group.rank()));
    }

    /** Adds one to a control word of a rank after everything sent to it so far. */
    private void signal(int rank, long word) {
        MemorySegment part = words.part(rank);
        if (part != null) {
            try {
                SharedWord.getAndAddLong(part, word, 1); // partner: the acquire load of the rank that waits
                node.ring(rank);
            } catch (IllegalStateException e) {
                throw words.translate(e);
            }
            return;
        }
        links.lock().lock();
        try {
            ServerLink link = linkTo(rank);
            try {
                link.writer().signal(control.id(), rank, word, SignalOp.ADD, 1);
            } catch (IOException | RuntimeException e) {
                throw link.brokeHalfway(e);
            }
            link.issuedOneWay(false, true);
        } finally {
            links.lock().unlock();
        }
    }

    /** Hands everything issued to the kernel. */
    void flush() {
        links.flushAll();
    }

    /** Tells those who look that this rank has sent its operations of the epoch that its fence of that number ends. */
    void sent(long fence) {
        reached(WindowLayout.sentStep(fence));
    }

    /** Tells those who look that nobody waits any more for this rank in its fence of that number. */
    void readyAfter(long fence) {
        reached(WindowLayout.readyStep(fence));
    }

    private void reached(long step) {
        try {
            SharedWord.setLongRelease(own, WindowLayout.FENCE_STEP, step); // partner: a reader of the file (NodeReader)
        } catch (IllegalStateException e) {
            throw words.translate(e);
        }
    }

    /**
     * Waits until so many operations of fence epochs have been executed at this rank, in its fence of that number.
     *
     * @throws JobAbortedException when the job fails meanwhile
     */
    void awaitFenceCount(long count, long fence) {
        fenced.step = WindowLayout.sentStep(fence);
        await(WindowLayout.FENCE_COUNT, count, -1, fenced);
    }

    /** Waits until so many ready flags have come, in its fence of that number. */
    void awaitReadyCount(long count, long fence) {
        ready.step = WindowLayout.readyStep(fence);
        await(WindowLayout.READY_COUNT, count, -1, ready);
    }

    /** What ends an access epoch of this rank at its target: the code for {@link #issue} and {@link #complete}. */
    int thenEnd() {
        return Frames.thenCountExposure(group.rank());
    }

    /** Waits until so many access epochs of a member towards this rank have ended. */
    void awaitEnds(int member, long count) {
        await(WindowLayout.ends(member), count, group.worldRank(member), completed);
    }

    /**
     * Whether so many access epochs of a member towards this rank have ended.
     *
     * @throws JobAbortedException when the job has failed, as they may never end then
     */
    boolean hasEnded(int member, long count) {
        try {
            return node.hasReached(own, WindowLayout.ends(member), count);
        } catch (IllegalStateException e) {
            throw words.translate(e);
        }
    }

    /** Waits until a rank has exposed its part to this one so often. */
    void awaitPosts(int rank, long count) {
        await(WindowLayout.posts(group.groupRank(rank)), count, rank, posted);
    }

    /** Whether a rank has exposed its part to this one so often. */
    boolean hasPosted(int rank, long count) {
        try {
            return SharedWord.getLongAcquire(own, WindowLayout.posts(group.groupRank(rank))) >= count;
        } catch (IllegalStateException e) {
            throw words.translate(e);
        }
    }

    private void await(long word, long count, int from, Cause cause) {
        try {
            node.awaitWord(own, word, count, false, from, access::stateOf, cause);
        } catch (IllegalStateException e) {
            throw words.translate(e);
        }
    }

    /**
     * Waits for the answers of operations and for their payload to leave; all that are still under way have been issued
     * with one of these handles or one of their own. Throws the first failure once it has waited for all.
     */
    void await(Handle... handles) {
        if (answersAwaited) {
            for (Handle handle : handles) {
                failures.attempt(handle::await);
            }
            requested.forEach(handle -> failures.attempt(handle::await));
            if (lockedSinceNs != 0) {
                node.latencies().ended(LatencyKind.LOCK, lockedSinceNs);
                lockedSinceNs = 0;
            }
            failures.rethrow(); // what an interrupted thread has not waited for is waited for next time
            answersAwaited = false;
            requested.clear();
        }
    }

    /** A handle of an operation's own has been waited for. */
    void forget(Handle handle) {
        requested.remove(handle);
    }

    /** Times of calls of the window, of that kind. */
    LatencySample times(LatencyKind kind) {
        return new LatencySample(node.latencies(), kind);
    }

    /** Waits until everything sent to a rank has been executed. */
    void fence(int rank) {
        access.fence(rank);
    }

    /** Throws what has gone wrong with operations towards ranks of other nodes, once. */
    void throwFailures() {
        if (othersReached) {
            access.throwOneWayFailures();
        }
    }

    /**
     * Takes the lock of a rank's part of the window; waits until no other rank excludes the mode.
     *
     * @param holdsOther whether this rank holds the lock of another part
     * @throws org.tributary.client.error.WaitInterruptedException when the calling thread is interrupted meanwhile
     */
    void acquire(int rank, LockMode mode, boolean holdsOther) {
        MemorySegment part = words.part(rank);
        if (part == null || !tryChange(part, mode, true)) {
            access.request(lockOf(rank),
                (link, reply) -> link.writer().lockWindow(reply, control.id(), rank, mode, holdsOther),
                () -> sendRelease(rank, mode, false, true));
        }
    }

    private Contended lockOf(int rank) {
        return new Contended(WaitKind.WINDOW_LOCK, rank, control.id(), 0);
    }

    private boolean tryChange(MemorySegment part, LockMode mode, boolean acquires) {
        try {
            return acquires ? WindowLock.tryAcquire(part, mode, access.rank())
                : WindowLock.tryRelease(part, mode, access.rank());
        } catch (IllegalStateException e) {
            throw words.translate(e);
        }
    }

    /**
     * Releases the lock of a rank's part after everything sent to it so far.
     *
     * @param acknowledged whether {@link #fence} will wait for that
     */
    void release(int rank, LockMode mode, boolean acknowledged) {
        MemorySegment part = words.part(rank);
        if (part != null && tryChange(part, mode, false)) {
            return;
        }
        sendRelease(rank, mode, acknowledged, false);
    }

    /** {@code isLate}: of a lock that no call waited for any more. */
    private void sendRelease(int rank, LockMode mode, boolean acknowledged, boolean isLate) {
        links.lock().lock();
        try {
            ServerLink link = linkTo(rank);
            try {
                link.writer().unlockWindow(control.id(), rank, mode, acknowledged ? Frames.FLAG_ACK : 0);
            } catch (IOException | RuntimeException e) {
                throw link.brokeHalfway(e);
            }
            if (isLate) {
                link.issuedGiveBack(control.id());
            } else {
                link.issuedOneWay(acknowledged, true);
            }
            link.flush();
        } finally {
            links.lock().unlock();
        }
    }

    /** Whether an operation can travel with the lock request, in one message. */
    boolean canTravelWithLock(RmaOperation operation) {
        return operation.isContiguous() && operation.length <= Frames.MAX_HELD_PAYLOAD
            && operation.kind != RmaOperation.Kind.GET_ACCUMULATE
            && operation.kind != RmaOperation.Kind.COMPARE_AND_SWAP;
    }

    /**
     * Lock, operation, unlock as one request to another node, for which {@code handle} waits.
     *
     * @throws org.tributary.client.error.WaitInterruptedException when the calling thread is interrupted before the
     *         request is sent, because an earlier one for the lock still waits
     */
    void lockedOperation(RmaOperation operation, LockMode mode, Handle handle) {
        Contended lock = lockOf(operation.rank);
        access.awaitGiveBack(lock);
        othersReached = true;
        answersAwaited = true;
        lockedSinceNs = lockedSinceNs == 0 ? System.nanoTime() : lockedSinceNs;
        Trace trace = node.trace();
        long beganNs = trace == null ? 0 : trace.beginOneWay(operation.traced(), operation.length);
        links.lock().lock();
        try {
            ServerLink link = linkTo(operation.rank);
            try {
                operation.encodeLocked(link, link.expect(handle.expectOne()), control.id(), mode);
                handle.asksFor(lock);
                if (trace != null) {
                    trace.endOneWay(operation.traced(), beganNs, operation.rank, operation.length,
                        operation.memory.id());
                }
            } catch (IOException | RuntimeException e) {
                throw link.brokeHalfway(e);
            }
            link.flush();
        } finally {
            links.lock().unlock();
        }
    }

    /** Memory of a number, if this rank takes part in it and has not freed it; else null. */
    SegmentAccess memoryOf(long id) {
        return Internals.find(gas, id);
    }
}
