package org.tributary.client.window;

import java.util.Map;
import org.tributary.client.Group;
import org.tributary.client.error.FirstFailure;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.client.remote.Handle;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.LatencySample;

/**
 * Lock-unlock of one window, immediate and deferred. Towards a rank of this node the lock is a word in shared memory
 * and operations are plain copies, in either design. Towards others, deferred: nothing is sent before unlock; then a
 * single short operation travels with the lock request, unless a reader holds other locks, or after the grant the last
 * operation carries the release, plain gets last, and only epochs without a get ask for an acknowledgement. Thakur,
 * Gropp and Toonen do without it under exclusive locks, as nobody else can take the lock before all is done; but the
 * target may look without the lock after it has heard of the unlock from a third rank. Automatic: deferred, until so
 * many bytes wait that locking and sending them at once pays. Locks of several parts are acquired in the order of the
 * calls, in every design: ranks that lock in the same order would else wait for each other, as a part of one's own node
 * is acquired at once, and another one when it is needed.
 */
final class LockSync {
    /** States of a part that is locked, as bits: stores of references would cost more than all else here. */
    private static final byte SHARED = 1;
    private static final byte EXCLUSIVE = 2;
    private static final byte UNCHECKED = 4;
    private static final byte ACQUIRED = 8;

    private final Group group;
    private final WindowTransport transport;
    private final Handle handle;
    private final Handle prompt;
    private final EpochDesign design;
    private final CostModel model;
    private final long eagerBytes;
    private final LatencySample times;
    private final OperationQueue[] queues;
    private final byte[] states;
    private final boolean[] here;
    private final long[] bytes;
    /** Parts whose locks {@link #lock} has left for later, in the order of the calls. */
    private final int[] pending;
    private int pendingCount;
    private final Thread maker = Thread.currentThread();
    /** Number of the thread that was the last to acquire a lock here. */
    private long user;
    private int held;
    private boolean all;
    private boolean allUnchecked;
    private final Last last = new Last();
    private final FirstFailure failures = new FirstFailure();

    /**
     * As described.
     *
     * @param prompt for operations that are waited for as soon as they are issued
     * @param model  null unless the design is automatic
     */
    LockSync(Group group, WindowTransport transport, Handle handle, Handle prompt, EpochDesign design,
        CostModel model) {
        this.group = group;
        this.transport = transport;
        this.handle = handle;
        this.prompt = prompt;
        this.design = design;
        this.model = model;
        this.eagerBytes = model == null ? Long.MAX_VALUE : model.eagerBytes(2);
        this.queues = new OperationQueue[group.size()];
        this.times = transport.times(LatencyKind.WINDOW_UNLOCK);
        this.states = new byte[group.size()];
        this.bytes = new long[group.size()];
        this.pending = new int[group.size()];
        this.here = new boolean[group.size()];
        for (int member = 0; member < here.length; member++) {
            here[member] = transport.isLocal(group.worldRank(member));
        }
    }

    private boolean is(byte state, int member) {
        return (states[member] & state) != 0;
    }

    private boolean isLocked(int member) {
        return states[member] != 0;
    }

    private LockMode mode(int member) {
        return is(EXCLUSIVE, member) ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    private boolean holds(int member) {
        return is(ACQUIRED, member) && !is(UNCHECKED, member);
    }

    /** Whether the part of a member of this node is locked and can be accessed at once. */
    boolean holdsHere(int member) {
        return here[member] && is(ACQUIRED, member);
    }

    /** {@code unchecked}: no other rank holds or asks for a lock that excludes this one. */
    void lock(LockMode mode, int member, boolean unchecked) {
        states[member] = (byte) ((mode == LockMode.EXCLUSIVE ? EXCLUSIVE : SHARED) | (unchecked ? UNCHECKED : 0));
        if (here[member] || design == EpochDesign.IMMEDIATE) {
            try {
                acquire(member);
            } catch (RuntimeException e) {
                forget(member);
                throw e;
            }
        } else if (!unchecked && !all) {
            pending[pendingCount++] = member;
        }
    }

    /** Shared locks of all members; each is acquired when it is first needed. */
    void lockAll(boolean unchecked) {
        all = true;
        allUnchecked = unchecked;
    }

    private OperationQueue queue(int member) {
        if (queues[member] == null) {
            queues[member] = new OperationQueue();
        }
        return queues[member];
    }

    private void acquire(int member) {
        if (!is(ACQUIRED, member)) {
            if (!is(UNCHECKED, member)) {
                acquireBefore(member);
                transport.acquire(group.worldRank(member), mode(member), held > 0);
                noLongerPending(member);
                held++;
                user = Thread.currentThread().threadId();
            }
            states[member] |= ACQUIRED;
        }
    }

    /** Acquires the locks that were left for later before that of a part, which stands behind them or is new. */
    private void acquireBefore(int member) {
        while (pendingCount > 0 && pending[0] != member) {
            int first = pending[0];
            acquire(first);
            failures.attempt(() -> queue(first).issue(transport, 0, handle)); // that part's epoch is to tell of it
        }
    }

    private void noLongerPending(int member) {
        for (int at = 0; at < pendingCount; at++) {
            if (pending[at] == member) {
                System.arraycopy(pending, at + 1, pending, at, --pendingCount - at);
                return;
            }
        }
    }

    void operation(RmaOperation operation, int member) {
        if (all && !isLocked(member)) {
            lock(LockMode.SHARED, member, allUnchecked);
        }
        if (is(ACQUIRED, member)) {
            transport.issue(operation, 0, handle);
            bytes[member] += operation.length();
            return;
        }
        queue(member).add(operation);
        bytes[member] += operation.length();
        if (bytes[member] >= eagerBytes) {
            tryPush(member);
        }
    }

    /** An interrupt, which the thread's status tells, leaves what is queued for a later call. */
    private void tryPush(int member) {
        try {
            push(member);
        } catch (WaitInterruptedException ignored) {
            // Were it thrown, the operation would seem not to be done.
        }
    }

    /** Acquires the lock if it is not, and issues what is queued. */
    void push(int member) {
        if (isLocked(member)) {
            acquire(member);
            queue(member).issue(transport, 0, handle);
            transport.flush();
        }
    }

    void unlock(int member) {
        if (holdsHere(member)) {
            releaseHere(member);
            transport.throwFailures();
        } else {
            long began = times.begin();
            end(member, begin(member));
            failures.attempt(transport::throwFailures);
            failures.rethrow();
            times.ended(began);
        }
    }

    private void releaseHere(int member) {
        int rank = group.worldRank(member);
        last.noteHere(rank);
        LockMode mode = mode(member);
        boolean unchecked = is(UNCHECKED, member);
        forget(member);
        if (!unchecked) {
            transport.release(rank, mode, true);
        }
    }

    /**
     * Locks and unlocks of several ranks are on their way together; the failure of one keeps no other locked. What is
     * held is given back before this rank waits for other locks: their holders may wait for it.
     */
    void unlockAll() {
        boolean[] acknowledged = new boolean[states.length];
        boolean[] waits = new boolean[states.length];
        long began = times.begin();
        for (int member = 0; member < states.length; member++) {
            int each = member;
            waits[member] = isLocked(member) && !is(ACQUIRED, member);
            if (holdsHere(member)) {
                failures.attempt(() -> releaseHere(each));
            } else if (is(ACQUIRED, member)) {
                acknowledged[member] = begin(member);
            }
        }
        for (int member = 0; member < states.length; member++) {
            if (waits[member]) {
                acknowledged[member] = begin(member);
            }
        }
        for (int member = 0; member < states.length; member++) {
            if (isLocked(member)) {
                end(member, acknowledged[member]);
            }
        }
        all = false;
        failures.attempt(transport::throwFailures);
        failures.rethrow();
        times.ended(began);
    }

    /**
     * Sends whatever ends the access to a part of another node. The lock is given back whatever fails.
     *
     * @return whether its acknowledgement has to be waited for, besides the answers of operations
     */
    private boolean begin(int member) {
        int rank = group.worldRank(member);
        OperationQueue queue = queue(member);
        if (model != null) {
            last.note(rank, is(ACQUIRED, member), bytes[member]);
        }
        if (is(ACQUIRED, member)) {
            failures.attempt(() -> transport.await(handle, prompt)); // no release may overtake the data of a get
            if (!is(UNCHECKED, member)) {
                failures.attempt(() -> transport.release(rank, mode(member), true));
                held--;
            }
            states[member] &= ~ACQUIRED;
            return true;
        }
        if (queue.size() == 0) {
            return false;
        }
        if (is(UNCHECKED, member)) {
            failures.attempt(() -> queue.issue(transport, 0, prompt));
            failures.attempt(transport::flush);
            return true;
        }
        failures.attempt(() -> acquireBefore(member));
        if (pendingCount > 0 && pending[0] != member) {
            return false; // without those before it, this one is not waited for either
        }
        // A reader that holds other locks does not wait behind writers, who may wait for those; what travels would.
        boolean travels = held == 0 || is(EXCLUSIVE, member);
        if (travels && queue.size() == 1 && transport.canTravelWithLock(queue.first())) {
            failures.attempt(() -> transport.lockedOperation(queue.first(), mode(member), prompt));
            return false;
        }
        boolean acknowledged = !queue.endsWithData();
        failures.attempt(() -> issueAndRelease(member, queue, acknowledged));
        failures.attempt(transport::flush);
        return acknowledged;
    }

    private void issueAndRelease(int member, OperationQueue queue, boolean acknowledged) {
        transport.acquire(group.worldRank(member), mode(member), held > 0);
        int then = is(SHARED, member) ? Frames.THEN_UNLOCK_SHARED : Frames.THEN_UNLOCK_EXCLUSIVE;
        queue.issue(transport, acknowledged ? then | Frames.FLAG_ACK : then, prompt);
    }

    private void end(int member, boolean acknowledged) {
        failures.attempt(() -> transport.await(handle, prompt));
        if (acknowledged || !failures.isNone()) { // an answer that failed acknowledges nothing behind it
            failures.attempt(() -> transport.fence(group.worldRank(member)));
        }
        queue(member).clear();
        forget(member);
    }

    /**
     * Before this rank leaves: only it knows of the shared locks that it has on its node. A thread that goes on using
     * the window keeps them: what it gives back itself must not be given back twice, as that takes another's lock.
     */
    void leave() {
        Thread caller = Thread.currentThread();
        boolean isOver = user == caller.threadId()
            || user == maker.threadId() && (!maker.isAlive() || maker.getState() == Thread.State.WAITING);
        for (int member = 0; member < states.length; member++) {
            if (isOver && here[member] && holds(member) && is(SHARED, member)) {
                forget(member);
                transport.release(group.worldRank(member), LockMode.SHARED, true);
            }
        }
    }

    private void forget(int member) {
        held -= holds(member) ? 1 : 0;
        noLongerPending(member);
        bytes[member] = 0;
        states[member] = 0;
    }

    /** Waits until the operations on a part have been executed there. */
    void flush(int member) {
        long began = here[member] ? LatencySample.NOT_TIMED : times.begin();
        failures.attempt(() -> complete(member));
        if (isLocked(member)) {
            failures.attempt(() -> transport.fence(group.worldRank(member)));
        }
        failures.rethrow();
        times.ended(began);
    }

    /** Waits until the buffers of the operations on a part may be used again. */
    void flushLocal(int member) {
        long began = here[member] ? LatencySample.NOT_TIMED : times.begin();
        complete(member);
        times.ended(began);
    }

    private void complete(int member) {
        if (isLocked(member)) {
            failures.attempt(() -> push(member));
            failures.attempt(() -> transport.await(handle, prompt));
            failures.rethrow();
        }
    }

    void flushAll() {
        long began = times.begin();
        failures.attempt(this::completeAll);
        for (int member = 0; member < states.length; member++) {
            if (isLocked(member)) {
                int rank = group.worldRank(member);
                failures.attempt(() -> transport.fence(rank));
            }
        }
        failures.rethrow();
        times.ended(began);
    }

    void flushLocalAll() {
        long began = times.begin();
        completeAll();
        times.ended(began);
    }

    private void completeAll() {
        for (int member = 0; member < states.length; member++) {
            int each = member;
            failures.attempt(() -> push(each));
        }
        failures.attempt(() -> transport.await(handle, prompt));
        failures.rethrow();
    }

    /** The epoch of the lock that was released last. */
    private static final class Last {
        private int rank = -1;
        private boolean local;
        private boolean issued;
        private long bytes;

        void noteHere(int target) {
            rank = target;
            local = true;
        }

        void note(int target, boolean isIssued, long transferred) {
            rank = target;
            local = false;
            issued = isIssued;
            bytes = transferred;
        }
    }

    Choice choice() {
        if (model == null || last.rank < 0) {
            return null;
        }
        if (last.local) {
            return new Choice(EpochDesign.IMMEDIATE.name(), Map.of("IMMEDIATE", 0.0, "DEFERRED", 0.0),
                "rank " + last.rank + " on this node, which takes no message in any design; " + model);
        }
        // Deferred it may still become one request and one answer when the choice is made.
        String asked = last.issued && last.bytes < eagerBytes
            ? ", or when a flush or a request asks for it, or another lock follows" : "";
        return new Choice(last.issued ? EpochDesign.IMMEDIATE.name() : EpochDesign.DEFERRED.name(),
            Map.of("IMMEDIATE", (4 * model.alphaNs() + model.leftNs(last.bytes)) / 1e3,
                "DEFERRED", (2 * model.alphaNs() + model.bytesNs(last.bytes)) / 1e3),
            last.bytes + " bytes for rank " + last.rank + ", " + CostModel.sentAtOnce(eagerBytes) + asked + "; "
                + model);
    }
}
